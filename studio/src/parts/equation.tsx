// equation.tsx: a formula of the catalogue, typeset when the page was built.
import { equations } from "virtual:equations";

export function Equation({ name }: { name: string }) {
  return <div class="equation" dangerouslySetInnerHTML={{ __html: equations[name] ?? "" }} />;
}
