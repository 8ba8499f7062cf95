// The functions of the rules in table.ts on numbers: those of JavaScript, and those that it lacks or that differ from
// the engine's. This is the counterpart of adjoint/engine/mathematics/floats.py.

// Within 3 units in the last place of the engine's results in V8.
export const { abs, sqrt, cbrt, hypot, exp, expm1, log, log1p, log2, log10, floor, ceil, trunc } = Math;
export const { sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, asinh, acosh, atanh } = Math;

export function exp2(x: number): number {
  return 2 ** x;
}

/** The power of C: 1 to any power is 1, even to NaN, and so is -1 to an infinite power. JavaScript gives NaN for both. */
export function pow(x: number, z: number): number {
  return x === 1 || (x === -1 && (z === Infinity || z === -Infinity)) ? 1 : x ** z;
}

/** Round to the nearest whole number, halves to the even one. Adding 2⁵² leaves no room for a fraction. */
export function round(x: number): number {
  const size = Math.abs(x);
  return size < 2 ** 52 ? copysign(size + 2 ** 52 - 2 ** 52, x) : x;
}

/** The absolute value of x with the sign of z; NaN counts as positive. */
export function copysign(x: number, z: number): number {
  return z < 0 || Object.is(z, -0) ? -Math.abs(x) : Math.abs(x);
}

/** The larger number; NaN if there is one. */
export function maximum(x: number, z: number): number {
  return x > z || Number.isNaN(x) ? x : z;
}

export function minimum(x: number, z: number): number {
  return x < z || Number.isNaN(x) ? x : z;
}

/** The remainder of C, which has the sign of x. */
export function fmod(x: number, z: number): number {
  return x % z;
}

/** Python's %, which has the sign of z. */
export function remainder(x: number, z: number): number {
  const rest = x % z;
  if (rest === 0) return copysign(0, z);
  return z < 0 !== rest < 0 ? rest + z : rest;
}

/** Python's //, as CPython computes it from the remainder. */
export function floorDivide(x: number, z: number): number {
  if (z === 0) return x / z;
  const rest = x % z;
  const quotient = (x - rest) / z - (rest !== 0 && z < 0 !== rest < 0 ? 1 : 0);
  if (quotient === 0) return copysign(0, x / z);
  const whole = Math.floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

// --- erf, within 2 units in the last place ---

const TWO_OVER_ROOT_PI = 1.1283791670955126;
const TWO_OVER_ROOT_PI_MINUS_1 = 0.1283791670955126;
// The coefficients of the Maclaurin series from x³ to x²⁵: 2/√π·(-1)ⁿ/(n!·(2n + 1)).
const SERIES = [
  -0.37612638903183754, 0.11283791670955126, -0.026866170645131252, 0.005223977625442188, -0.0008548327023450853,
  0.00012055332981789664, -1.492565035840625e-5, 1.6462114365889248e-6, -1.6365844691234924e-7, 1.4807192815879218e-8,
  -1.2290555301717928e-9, 9.422759064650411e-11,
];
// 1 - erf(c) at c = 4/8, 5/8, …, 48/8.
const REST = [
  0.4795001221869535, 0.376759117811582, 0.28884436634648486, 0.21592493894014034, 0.15729920705028513,
  0.11161176829829224, 0.07709987174354177, 0.051829927217909674, 0.033894853524689274, 0.021556266760016336,
  0.013328328780817557, 0.00800994232988003, 0.004677734981047266, 0.0026540293594823415, 0.0014627165866811518,
  0.0007829382178911192, 0.0004069520174449589, 0.00020537573614121745, 0.00010062192211963683, 4.785483974377341e-5,
  2.209049699858544e-5, 9.89673462524562e-6, 4.302779463675122e-6, 1.8152814274403558e-6, 7.430983723414128e-7,
  2.951401925115699e-7, 1.1372725656979665e-7, 4.2513944082491124e-8, 1.541725790028002e-8, 5.423400799565066e-9,
  1.8505741373867425e-9, 6.12483295356936e-10, 1.9661604415428876e-10, 6.121610513034226e-11, 1.8485047721485312e-11,
  5.413406466297941e-12, 1.537459794428035e-12, 4.234563376336224e-13, 1.1310313266887154e-13, 2.9294885544871546e-14,
  7.357847917974398e-15, 1.7920200056510066e-15, 4.232136617425738e-16, 9.691555645277176e-17, 2.1519736712498913e-17,
];

export function erf(x: number): number {
  const size = Math.abs(x);
  if (size < 0.5) {
    let sum = 0;
    for (let n = SERIES.length - 1; n >= 0; n--) sum = (sum + SERIES[n]!) * (x * x);
    return x + x * (TWO_OVER_ROOT_PI_MINUS_1 + sum); // x itself has no rounding error
  }
  if (size >= 6) return Math.sign(x); // 1 - erf(6) is 2e-17
  if (Number.isNaN(x)) return NaN;
  // The Taylor series about the nearest c. Its derivative f satisfies f' = -2(c + h)f, which gives the coefficients of f.
  const k = Math.round(8 * size);
  const [c, h] = [k / 8, size - k / 8];
  let [sum, power] = [0, h];
  let [before, coefficient] = [0, TWO_OVER_ROOT_PI * Math.exp(-c * c)];
  for (let n = 1; n <= 14; n++) {
    sum += (coefficient * power) / n;
    power *= h;
    [before, coefficient] = [coefficient, (-2 * (c * coefficient + before)) / n];
  }
  return copysign(1 - (REST[k - 4]! - sum), x);
}
