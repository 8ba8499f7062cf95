// The start page of the static site, for readers who have not heard of adjoint: what it is, a neuron to play with, and the
// ways on.
import { ExploreRoom } from "../rooms/explore";

const WAYS = [
  {
    href: "#learn",
    title: "Learn",
    text: "A course of twelve lessons. You write the engine yourself, from the first nudge of a number to a GPT, and each answer is checked.",
  },
  {
    href: "#explore",
    title: "Explore",
    text: "Type any expression, move its inputs, and step through the forward and the backward pass.",
  },
  {
    href: "#train",
    title: "Train",
    text: "Watch a network learn: the response of every neuron, the decision boundary and the loss.",
  },
  {
    href: "#mistakes",
    title: "Mistakes",
    text: "Twelve classic bugs of training, each next to a correct run.",
  },
  { href: "#quiz", title: "Quiz", text: "Questions about graphs and gradients, with an explanation of every answer." },
  {
    href: "docs/index.html",
    title: "Documentation",
    text: "Guides, the API reference, and how the engine works.",
  },
];

export function Start() {
  return (
    <div class="start">
      <section class="lead" aria-labelledby="start-title">
        <h2 id="start-title">Watch how derivatives flow.</h2>
        <p>
          adjoint is an autograd engine and neural-network library in Python: it records how a result was computed, and
          computes how fast the result changes with each number that went into it.
        </p>
      </section>
      <section class="card neuron" aria-labelledby="neuron-title">
        <div class="words">
          <h3 id="neuron-title">A neuron</h3>
          <p class="soft">
            Move a slider. The upper number of each box is its value, the lower one its gradient: how fast the output
            changes if only this number changes.
          </p>
        </div>
        <ExploreRoom isCompact />
      </section>
      <nav class="ways" aria-label="Ways on">
        {WAYS.map(({ href, title, text }) => (
          <a key={href} class="card way" href={href}>
            <strong>{title}</strong>
            <span class="soft">{text}</span>
          </a>
        ))}
      </nav>
      <section class="install" aria-labelledby="install-title">
        <h3 id="install-title">On your own computer</h3>
        <p>
          <code>pip install adjoint-autograd</code>
          <span class="soft">
            {" "}
            with Python 3.11 or later. Here, nothing is installed and nothing is sent: Python itself runs in this page.
          </span>
        </p>
      </section>
    </div>
  );
}
