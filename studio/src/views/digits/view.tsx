// view.tsx: the landing view: draw a digit, and its ink moves as a flock to the answer.
import { equations } from "virtual:equations/digit";
import { effect } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { BranchControls, Hand } from "../../parts/branch";
import { Choice, Group, Segments, Slider, Switch } from "../../parts/controls";
import { DomeBar, DomeCard } from "../../parts/dome";
import { Equation } from "../../parts/equation";
import { Frame } from "../../parts/frame";
import { useOwnRuns } from "../../parts/own_runs";
import { StageCanvas } from "../../parts/stage_canvas";
import { Timeline } from "../../parts/timeline";
import type { Stage, StageOptions } from "../../scene/stage";
import type { Branch } from "../../state/branch";
import { domeShown, Domes, headNow, headPicked, partNow } from "../../state/dome";
import { amount, change, flag, word } from "../../state/recipe";
import { onStage, sceneSentence, showError } from "../../state/session";
import { isDark, isTouch } from "../../state/theme";
import { strings } from "../../strings";
import { cardOf, LiveVerdict, Verdict } from "./verdict";
import { DigitScene, kFlockLayer, moved, type Paints, readPaints } from "./draw";
import { DigitFlights, inkOf, truthOf, type Source } from "./flight";
import { FoolCard } from "./fool";
import { GazeCard, Gazer, Inspector, placeInspector } from "./gaze";
import { swarmOptions } from "./library";
import { flyRandom, OpinionCard, TaskChoice } from "./pairs";
import { DragChoice, Pad, StagePen } from "./pad";
import { take } from "./picture";
import { DigitPlots } from "./plots";
import { chancesAt, dissenters, leader } from "./reading";
import { Sheet } from "./sheet";
import "./digits.css";

const kStage: StageOptions = { backdrop: "none", extent: 15, radius: 0.34, eye: [0.62, 0.4, 2.9] };

/** Draws what the player shows, when anything it depends on has changed. */
class Camera {
  private scene: DigitScene | null = null;
  private last = "";
  private paints: { key: string; paints: Paints } | null = null;

  constructor(
    private readonly flights: DigitFlights,
    private readonly gazer: Gazer,
    private readonly domes: Domes,
  ) {}

  setStage(stage: Stage | null): void {
    this.scene = stage && new DigitScene(stage);
    this.last = "";
  }

  draw(force = false): void {
    const { player, branch, trained: swarm } = this.flights;
    const film = player.film.value;
    const trained = swarm.value;
    if (!this.scene || !film || !trained || film.flown.value <= film.first) {
      if (this.last !== "") this.scene?.clear();
      this.last = "";
      return;
    }
    const look = { trails: flag("trails", true), headings: flag("headings", false), squeeze: flag("squeeze", true) };
    const seen = this.gazer.seen.value;
    const ghost = player.ghost.value;
    const beside = ghost ? null : this.flights.beside.value;
    const dome = domeShown(kDome) ? this.domes.seen.value : null;
    const parts = {
      dome, part: partNow(), head: headNow(dome?.dome.heads.length ?? 1),
      picked: headPicked(seen?.gaze.heads ?? 1),
    };
    const key = [
      dome?.frame, dome?.boid, parts.part, parts.head, parts.picked,
      film.info.id, ghost?.info.id, beside?.info.id, beside?.flown.value, player.at.value, film.flown.value,
      isDark.value, branch.chosen.value, seen?.frame, seen?.boid, [...branch.held.value.values()], Object.values(look), trained.id,
    ].join("|");
    if (key === this.last && !force) return;
    this.last = key;
    const { chosen } = branch;
    const at = Math.min(player.at.value, film.flown.value - 1);
    this.scene.show({
      film, ghost: ghost && ghost.flown.value > ghost.first ? ghost : null,
      beside: beside && beside.flown.value > at ? beside : null, at, trained,
      paints: this.paintsOf(trained.classes.length), chosen: chosen.value, gaze: seen, ...look,
      ...parts, dark: isDark.value,
      overlay: (places) => branch.overlay(places),
    });
  }

  private paintsOf(classes: number): Paints {
    const key = `${isDark.value}${classes}`;
    if (this.paints?.key !== key) this.paints = { key, paints: readPaints(classes) };
    return this.paints.paints;
  }
}

const kDome = false; // domes are drawn when the visitor asks for them

/** Asks for the parts of the chosen boid's move while its dome is drawn. */
function followDome({ player, branch }: DigitFlights, domes: Domes): () => void {
  return effect(() => {
    const boid = boidOf(branch);
    const film = player.film.value;
    const frame = player.frame.value;
    const flight = branch.flightAt(frame);
    const there = film && flight !== null && boid !== null && frame < film.flown.value;
    domes.want(there && domeShown(kDome) ? { flight, frame, boid } : null);
  });
}

/** The one boid that is chosen; null where none is, several are, or there is no such boid. */
function boidOf({ chosen, player }: Branch): number | null {
  const [boid] = chosen.value;
  return chosen.value.length === 1 && boid < (player.film.value?.info.n ?? 0) ? boid : null;
}

/** Tells the scene in one sentence, at most once a second and at ends. */
function narrate(flights: DigitFlights): () => void {
  let told = 0;
  return effect(() => {
    const { player, source } = flights;
    const film = player.film.value;
    const playing = player.playing.value;
    const frame = player.frame.value;
    if (!film || film.flown.value <= frame) {
      if (!flights.busy.value) sceneSentence.value = emptyWords(source.value) ?? sceneSentence.value;
      return;
    }
    const now = performance.now();
    if (playing && now - told < 1000) return;
    told = now;
    const words = strings.digits;
    const chances = chancesAt(film, frame);
    const best = leader(chances);
    const name = film.info.classes[best];
    const told1 = words.scene(frame, film.last, name, chances[best], dissenters(film, frame), film.info.n);
    const ghost = player.ghost.value;
    const was = ghost && film.info.classes[leader(chancesAt(ghost, frame))];
    const ending = flights.ending.value;
    const refused = frame >= film.last && ending?.neither ? ` ${words.neither}: ${words.neitherWhy(ending.name)}` : "";
    sceneSentence.value = was === null ? `${told1}${refused}` : `${told1} ${words.sceneSplit(was, name)}`;
  });
}

/** What to do where nothing can take off yet; null: something can. */
function emptyWords(source: Source): string | null {
  if (source.places || inkOf(source)) return null;
  return source.other ? strings.digits.emptyPair : strings.digits.empty;
}

function Story({ flights }: { flights: DigitFlights }) {
  const words = strings.digits;
  const entry = flights.entry.value;
  const pair = flights.pair.value;
  const { blocks, parameters, shared } = flights.size.value;
  return (
    <>
      <h2>{pair ? words.pairTitle : words.title}</h2>
      <p>{pair ? words.pairLead : words.lead}</p>
      {entry && (
        <p>
          {pair ? words.pairTask(entry.digits) : words.task(entry.digits)}{" "}
          <span data-accuracy={entry.test_accuracy}>
            {(pair ? words.pairFigures : words.figures)(entry.test_accuracy, parameters, blocks, shared)}
          </span>
        </p>
      )}
      {entry && entry.d > 3 && <p class="hint">{strings.runs.firstThree(entry.d)}</p>}
      <p>{words.tellPick(isTouch.value)}</p>
      <p>{words.tellAttention}</p>
      <Equation html={equations.digit_attention} />
      <p>{words.tellWhom}</p>
      <Equation html={equations.digit_weights} />
      <p>{words.tellFeed}</p>
      <Equation html={equations.digit_feed} />
      <p class="hint">{words.sources}</p>
    </>
  );
}

function SwarmControls({ flights }: { flights: DigitFlights }) {
  const words = strings.digits;
  const entry = flights.entry.value;
  const list = flights.list.value;
  if (!entry) return null;
  const trained = Math.max(1, flights.size.value.blocks);
  const blocks = amount("blocks", 0, 0, 4 * trained) || trained;
  const choose = (name: string) => {
    const next = list.find((e) => e.name === name);
    const label = flights.source.value.label;
    const fits = label === null || (next?.digits.includes(label) ?? false); // a drawing goes with the visitor
    change({ model: name, edit: "", blocks: "", ...(fits ? {} : { ink: "", digit: "" }) });
  };
  const pair = flights.pair.value;
  const fitting = list.filter((e) => e.own || (e.task === "same") === pair);
  return (
    <Group title={words.swarm}>
      {pair && !entry.own ? (
        <div class="choice">
          <span>{words.listens}</span>
          <Segments label={words.listens} value={entry.name} options={[...words.listenNames]} onChange={choose} />
        </div>
      ) : (
        <Choice
          label={words.swarmName}
          value={entry.name}
          options={swarmOptions(fitting)}
          onChange={choose}
        />
      )}
      <div class="choice">
        <span>{words.boids}</span>
        <Segments
          label={words.boids}
          value={word("finer", "1")}
          options={[...words.boidCounts]}
          onChange={(finer) => change({ finer: finer === "1" ? "" : finer, edit: "" })}
        />
      </div>
      <Slider
        label={words.blocks}
        hint={words.blocksHint}
        value={blocks}
        least={1}
        most={4 * trained}
        show={(b) => words.blocksShown(b, trained)}
        onChange={(b) => change({ blocks: b === trained ? "" : b, edit: "" })}
      />
      {!pair && (
        <Switch
          label={words.deaf}
          hint={words.deafHint}
          on={word("deaf", "") !== ""}
          onChange={(on) => change({ deaf: on ? "true" : "", edit: "" })}
        />
      )}
    </Group>
  );
}

function Look() {
  const words = strings.digits;
  const toggle = (key: string, initial: boolean) => (on: boolean) => change({ [key]: on === initial ? "" : on });
  return (
    <Group title={words.look} open={false}>
      <Switch label={words.trails} on={flag("trails", true)} onChange={toggle("trails", true)} />
      <Switch label={words.headings} on={flag("headings", false)} onChange={toggle("headings", false)} />
      <Switch
        label={words.squeeze}
        hint={words.squeezeHint}
        on={flag("squeeze", true)}
        onChange={toggle("squeeze", true)}
      />
    </Group>
  );
}

/** Everything that outlives a render: flights, gaze and camera, and what follows the recipe and the hand. */
function useDigits(stage: Stage | null) {
  const flights = useMemo(() => new DigitFlights(), []);
  const gazer = useMemo(() => new Gazer(flights.branch), [flights]);
  const domes = useMemo(() => new Domes(), []);
  const camera = useMemo(() => new Camera(flights, gazer, domes), [flights, gazer]);
  const sheets = useMemo(() => (["", "2"] as const).map((pad) => new Sheet(pad, () => landed(flights))), [flights]);
  const live = useMemo(() => new LiveVerdict(flights, sheets[0]), [flights, sheets]);
  const { player, branch } = flights;
  useOwnRuns(player);
  useEffect(() => {
    sheets[0].onSketch = () => void live.ask();
    branch.lift = (place, delta) => moved(place, delta, flag("squeeze", true));
    const asks = [gazer.follow(), followDome(flights, domes)];
    const stops = [branch.followChoice(), flights.follow(), ...asks, narrate(flights)];
    return () => stops.forEach((stop) => stop());
  }, [flights]);
  useEffect(() => {
    const [card, asks] = [() => cardOf(flights), () => branch.chosen.value.length > 0];
    onStage.value = { view: "digits", player, stage, draw: () => camera.draw(true), accept: take, card, asks };
    return () => {
      onStage.value = null;
    };
  }, [stage]);
  return { flights, gazer, domes, camera, sheets, live };
}

/** Whether what is on stage has flown to its end. */
function landed({ player }: DigitFlights): boolean {
  const film = player.film.value;
  return film !== null && player.at.value >= film.end;
}

interface SceneProps extends ReturnType<typeof useDigits> {
  stage: Stage | null;
  onStage(stage: Stage | null): void;
}

function Scene({ flights, gazer, domes, camera, sheets, live, stage, onStage }: SceneProps) {
  const words = strings.digits;
  const { player, branch } = flights;
  const source = flights.source.value;
  const pair = flights.pair.value;
  const sketching = sheets.some((sheet) => sheet.sketching.value);
  const empty = flights.busy.value || sketching ? null : emptyWords(source);
  const card = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => (pair ? sheets : sheets.slice(0, 1)), [pair, sheets]);
  return (
    <div class={sketching ? "digit-scene sketching" : "digit-scene"}>
      <Verdict
        player={player} flights={flights} truth={truthOf(source, player.film.value?.info.classes ?? [])}
        sketching={sketching && !pair} said={live.said.value}
      />
      <div class="digit-stage">
        <StageCanvas
          options={kStage}
          label={words.sceneLabel}
          onStage={(made) => {
            camera.setStage(made);
            onStage(made);
          }}
          onTick={(seconds) => {
            player.tick(seconds);
            camera.draw();
            placeInspector(card.current, stage, boidOf(branch));
          }}
        />
        <StagePen stage={stage} branch={branch} sheets={shown} />
        {stage && <DragChoice />}
        <Hand branch={branch} stage={stage} layer={kFlockLayer} />
        {!domeShown(kDome) && stage && <Inspector branch={branch} gazer={gazer} card={card} />}
        <DomeBar
          player={player} domes={domes} boid={boidOf(branch)} initial={kDome} heads={gazer.seen.value?.gaze.heads ?? 0}
        />
        {empty && <p class="scene-empty">{empty}</p>}
      </div>
      <p class="what">{words.what(flights.entry.value?.digits ?? [], pair)}</p>
    </div>
  );
}

interface ControlProps extends ReturnType<typeof useDigits> {
  stage: Stage | null;
}

function Controls({ flights, gazer, domes, sheets, stage }: ControlProps) {
  const { branch, player } = flights;
  const { ink, label, other } = flights.source.value;
  const pads = other ? [{ ink, label }, other] : [{ ink, label }];
  const centre = (boid: number) => {
    const place = stage?.placeOf(kFlockLayer, boid);
    if (place) stage?.centre(place);
  };
  return (
    <>
      <TaskChoice flights={flights} />
      <Pad
        pads={pads}
        sheets={sheets}
        onRandom={() => void flyRandom(flights).catch(showError)}
        onFiles={(files) => void take(files).catch(showError)}
      />
      <SwarmControls flights={flights} />
      {other && (
        <Group title={strings.digits.opinions}>
          <OpinionCard flights={flights} />
        </Group>
      )}
      {!other && (
        <Group title={strings.digits.fool}>
          <FoolCard flights={flights} sheet={sheets[0]} />
        </Group>
      )}
      <Group title={strings.branch.title}>
        <BranchControls branch={branch} />
      </Group>
      <Group title={strings.digits.gaze}>
        <GazeCard branch={branch} gazer={gazer} />
      </Group>
      <Group title={strings.dome.title}>
        <DomeCard player={player} domes={domes} boid={boidOf(branch)} initial={kDome} onCentre={centre} />
      </Group>
      <Look />
    </>
  );
}

export default function DigitsView() {
  const [stage, setStage] = useState<Stage | null>(null);
  const parts = useDigits(stage);
  const { flights } = parts;
  const { player } = flights;
  const trained = flights.size.value.blocks;
  return (
    <Frame
      view="digits"
      story={<Story flights={flights} />}
      scene={<Scene {...parts} stage={stage} onStage={setStage} />}
      controls={<Controls {...parts} stage={stage} />}
      timeline={<Timeline player={player} unit={(frame) => strings.digits.moment(frame, trained)} />}
      plots={<DigitPlots player={player} />}
    />
  );
}
