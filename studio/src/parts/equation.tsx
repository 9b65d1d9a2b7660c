// equation.tsx: a formula of the catalogue, typeset when the page was built; every view brings its own with it.

export function Equation({ html = "" }: { html?: string }) {
  return <div class="equation" dangerouslySetInnerHTML={{ __html: html }} />;
}
