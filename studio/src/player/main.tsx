// main.tsx: a page with one film only: scene, timeline and the frames themselves, for notebooks.
import { render } from "preact";
import { useMemo } from "preact/hooks";
import { StageCanvas } from "../parts/stage_canvas";
import { Timeline } from "../parts/timeline";
import { Player } from "../state/player";
import { applyTheme, isDark, reducedMotion } from "../state/theme";
import theme from "../theme.css?inline";
import { FlockScene, stageOptions, type Look } from "../views/flock/scene";
import { filmOf, type FilmData } from "./film_data";
import own from "./player.css?inline";

const kTrail = 12; // frames

function Film({ data }: { data: FilmData }) {
  const { player, scene } = useMemo(() => {
    const film = filmOf(data);
    const player = new Player(Math.max(5, Math.min(20, film.last / 6)));
    const scene = new FlockScene();
    scene.load(film);
    player.load(film, { play: !reducedMotion.value });
    return { player, scene };
  }, []);
  const look = (): Look => ({
    colouring: "end", trail: kTrail, dark: isDark.value, boid: null, chosen: [], held: new Map(), gaze: null, head: null,
  });
  const { moments } = data;
  return (
    <main class="player">
      <div class="scene">
        <StageCanvas
          options={stageOptions(data.habitat, data.d)}
          label={data.caption}
          onStage={(stage) => stage && isDark.subscribe(() => scene.retheme())}
          onTick={(seconds, stage) => {
            player.tick(seconds);
            if (stage) scene.draw(stage, player.at.value, null, look(), seconds);
          }}
        />
      </div>
      <Timeline player={player} unit={moments && ((frame) => moments[frame] ?? "")} />
      <p class="caption">{data.caption}</p>
    </main>
  );
}

const style = document.createElement("style");
style.textContent = theme + own;
document.head.append(style);
applyTheme();
const data = JSON.parse(document.getElementById("film")!.textContent!) as FilmData;
render(<Film data={data} />, document.body);
