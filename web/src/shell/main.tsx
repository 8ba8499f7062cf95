// The entry of the page that `adjoint lab` serves.
import { openLab } from "./App";

openLab();
