"""What `fit` is made of: the objective and the steps, what is shown, what is kept, and what ends training."""
