// sheet.tsx: the sheet for teachers: a lesson, goals, misconceptions, a sheet for learners, answers; made to be printed.
import { Button } from "../../parts/controls";
import { change } from "../../state/recipe";
import { story as storyWords } from "../../strings/story";
import { rich } from "./panel";
import "./sheet.css";

function Plan() {
  const words = storyWords.lesson;
  return (
    <section>
      <h3>{words.plan}</h3>
      <table class="plan">
        <tbody>
          {words.steps.map(({ time, text }) => (
            <tr key={text}><th scope="row">{time}</th><td>{text}</td></tr>
          ))}
        </tbody>
      </table>
      <h3>{words.goals}</h3>
      <ul>{words.goalList.map((goal) => <li key={goal}>{goal}</li>)}</ul>
      <h3>{words.wrong}</h3>
      <table class="wrong">
        <thead><tr>{words.wrongHead.map((head) => <th key={head} scope="col">{head}</th>)}</tr></thead>
        <tbody>
          {words.wrongList.map((row) => (
            <tr key={row[0]}>{row.map((cell) => <td key={cell}>{cell}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** One question a stop, with room to write; the answers are elsewhere. */
function Learners() {
  const { lesson: words, stops } = storyWords;
  return (
    <section class="learners">
      <h3>{words.sheet}</h3>
      <p class="names">{words.name} <i /></p>
      <ol>
        {stops.map((stop, k) => (
          <li key={stop.title} class="item">
            <h4>
              {words.stop(k + 1, stop.title)} <a class="no-print" href={words.link(k + 1)}>{words.open(k + 1)}</a>
            </h4>
            <p><b>{words.doThis}:</b> {stop.task}</p>
            <p><b>{words.ask}:</b> {rich(stop.question)}</p>
            <ul class="boxes">{stop.choices.map(({ text }) => <li key={text}>{rich(text)}</li>)}</ul>
            <p class="lines">{words.why}<i /><i /></p>
          </li>
        ))}
        <li class="item"><p class="lines">{words.own}<i /><i /><i /></p></li>
      </ol>
    </section>
  );
}

function Answers() {
  const { lesson: words, stops } = storyWords;
  return (
    <section class="answers">
      <h3>{words.key}</h3>
      <ol>
        {stops.map((stop, k) => {
          const right = stop.choices.find((choice) => choice.right)!;
          return (
            <li key={stop.title} class="item">
              <h4>{words.stop(k + 1, stop.title)}</h4>
              <p><b>{words.goal}:</b> {stop.goal}</p>
              <p><b>{words.answer}:</b> {rich(right.text)}. {rich(right.answer)}</p>
              <p><b>{words.breaks}:</b> {rich(stop.breaks)}</p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

export function Sheet() {
  const words = storyWords.lesson;
  return (
    <main class="sheet" id="scene" tabIndex={-1}>
      <div class="sheet-buttons no-print">
        <Button onClick={() => change({ sheet: "" })}>← {words.back}</Button>
        <Button primary onClick={() => print()}>{words.print}</Button>
      </div>
      <h2>{words.title}</h2>
      <p>{words.lead}</p>
      <Plan />
      <Learners />
      <Answers />
      <p class="source">{words.source}</p>
    </main>
  );
}
