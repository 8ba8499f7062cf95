// The room Mistakes.
export function MistakesRoom() {
  return <h2>Mistakes</h2>;
}
