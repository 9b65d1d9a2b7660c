// strength.tsx: the strip below the fields: the lengths of each field's vectors on the slice.
import { fields as fieldsText } from "../../strings/fields";
import { lengthsOf } from "./arrows";
import type { GridAnswer } from "./field_requests";
import { kFields, kInks, shownNow } from "./choices";

export function Strength({ grid }: { grid: GridAnswer | null }) {
  const words = fieldsText;
  const rows = grid
    ? kFields.map((name, which) => {
        const lengths = lengthsOf(grid.values, which * grid.d, 4 * grid.d, grid.d).filter(Number.isFinite);
        const mean = lengths.reduce((sum, x) => sum + x, 0) / Math.max(1, lengths.length);
        return { name, mean, longest: lengths.reduce((a, b) => Math.max(a, b), 0) };
      })
    : [];
  const shown = shownNow();
  const most = Math.max(1e-12, ...rows.map((row) => row.longest));
  return (
    <figure class="strength">
      <figcaption>{words.strength}</figcaption>
      <ul>
        {rows.map(({ name, mean, longest }) => (
          <li
            key={name}
            data-field={name}
            class={shown.includes(name) ? undefined : "hidden-field"}
            style={{
              "--ink-of": `var(${kInks[name]})`,
              "--mean": `${(100 * mean) / most}%`,
              "--longest": `${(100 * longest) / most}%`,
            }}
          >
            <span>{words.short[name]}</span>
            <span class="strength-bar" aria-hidden="true"><i /><b /></span>
            <output>{words.meanLongest(mean, longest)}</output>
          </li>
        ))}
      </ul>
    </figure>
  );
}
