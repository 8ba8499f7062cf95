// The room Quiz.
export function QuizRoom() {
  return <h2>Quiz</h2>;
}
