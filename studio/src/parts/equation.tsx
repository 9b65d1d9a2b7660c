// equation.tsx: a formula, typeset when the page was built; every view loads its own.

export function Equation({ html = "" }: { html?: string }) {
  return <div class="equation" dangerouslySetInnerHTML={{ __html: html }} />;
}
