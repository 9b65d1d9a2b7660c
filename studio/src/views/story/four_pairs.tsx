// four_pairs.tsx: asks both readers about the four pairs of two digits, when the visitor wants it.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../parts/controls";
import { core, tell } from "../../state/session";
import { story as storyWords } from "../../strings/story";
import { askFour, kReaders, type ReaderName } from "./trained_readers";

type Found = Record<ReaderName, boolean[]>;

async function askBoth(four: number): Promise<Found> {
  const awake = await core;
  return { same: await askFour(awake, "same", four), alone: await askFour(awake, "alone", four) };
}

export function FourTable({ four }: { four: number }) {
  const { four: words, knobs } = storyWords;
  const found = useSignal<Found | null>(null);
  const asked = useSignal(false);
  const here = useRef(true);
  useEffect(() => () => void (here.current = false), []); // readers are let go with the stop
  if (!asked.value) {
    const ask = () => {
      asked.value = true;
      askBoth(four).then((both) => (found.value = both), (error: unknown) => here.current && tell(error));
    };
    return <Button onClick={ask}>{words.ask}</Button>;
  }
  const mark = (right: boolean | undefined) => {
    if (right === undefined) return "…";
    return <span class={right ? "right" : "wrong"} role="img" aria-label={right ? words.right : words.wrong}>{right ? "✓" : "✗"}</span>;
  };
  return (
    <>
      <table class="figures" data-four={found.value ? "here" : undefined}>
        <caption>{words.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.pair}</th>
            {kReaders.map((name) => <th key={name} scope="col">{knobs.readers[name]}</th>)}
          </tr>
        </thead>
        <tbody>
          {knobs.pairs.map((pair, k) => (
            <tr key={pair}>
              <th scope="row">{pair}</th>
              {kReaders.map((name) => <td key={name}>{mark(found.value?.[name][k])}</td>)}
            </tr>
          ))}
          {found.value && (
            <tr class="sum">
              <th scope="row">{words.sum}</th>
              {kReaders.map((name) => <td key={name} data-sum={name}>{found.value![name].filter(Boolean).length}</td>)}
            </tr>
          )}
        </tbody>
      </table>
      <p class="hint">{words.hint}</p>
    </>
  );
}
