// The room Train.
export function TrainRoom() {
  return <h2>Train</h2>;
}
