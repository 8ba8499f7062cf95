// Generated from adjoint.engine.ops by `make web`; do not edit.
import * as m from "./functions";

/** One operation on numbers: how to compute it, and its partial derivative for each operand. */
export interface Rule {
  /** The names of its operands. */
  operands: string[];
  /** The numbers of the last operands if they are left out, such as the slope of leaky_relu. */
  defaults: number[];
  forward: (x: number, z: number) => number;
  /** Functions of the result y and the operands. */
  partials: ((y: number, x: number, z: number) => number)[];
}

const add_y = (x: number, z: number): number => (x + z);
const add_d0 = (): number => 1.0;
const add_d1 = (): number => 1.0;
const sub_y = (x: number, z: number): number => (x - z);
const sub_d0 = (): number => 1.0;
const sub_d1 = (): number => -1.0;
const mul_y = (x: number, z: number): number => (x * z);
const mul_d0 = (_y: number, _x: number, z: number): number => z;
const mul_d1 = (_y: number, x: number): number => x;
const div_y = (x: number, z: number): number => (x / z);
const div_d0 = (_y: number, _x: number, z: number): number => (1.0 / z);
const div_d1 = (y: number, _x: number, z: number): number => ((-y) / z);
const pow_y = (x: number, z: number): number => m.pow(x, z);
const pow_d0 = (_y: number, x: number, z: number): number => ((z === 0.0) ? 0.0 : (z * m.pow(x, (z - 1.0))));
const pow_d1 = (y: number, x: number, z: number): number => (((x === 0.0) && (z >= 0.0)) ? 0.0 : (y * m.log(x)));
const neg_y = (x: number): number => (-x);
const neg_d0 = (): number => -1.0;
const abs_y = (x: number): number => m.abs(x);
const abs_d0 = (_y: number, x: number): number => ((x > 0.0) ? 1.0 : ((x < 0.0) ? -1.0 : 0.0));
const maximum_y = (x: number, z: number): number => m.maximum(x, z);
const maximum_d0 = (_y: number, x: number, z: number): number => ((x < z) ? 0.0 : ((x === z) ? 0.5 : 1.0));
const maximum_d1 = (_y: number, x: number, z: number): number => ((z < x) ? 0.0 : ((x === z) ? 0.5 : 1.0));
const minimum_y = (x: number, z: number): number => m.minimum(x, z);
const minimum_d0 = (_y: number, x: number, z: number): number => ((x > z) ? 0.0 : ((x === z) ? 0.5 : 1.0));
const minimum_d1 = (_y: number, x: number, z: number): number => ((z > x) ? 0.0 : ((x === z) ? 0.5 : 1.0));
const exp_y = (x: number): number => m.exp(x);
const exp_d0 = (y: number): number => y;
const exp2_y = (x: number): number => m.exp2(x);
const exp2_d0 = (y: number): number => (y * 0.6931471805599453);
const expm1_y = (x: number): number => m.expm1(x);
const expm1_d0 = (_y: number, x: number): number => m.exp(x);
const log_y = (x: number): number => m.log(x);
const log_d0 = (_y: number, x: number): number => (1.0 / x);
const log1p_y = (x: number): number => m.log1p(x);
const log1p_d0 = (_y: number, x: number): number => (1.0 / (1.0 + x));
const log2_y = (x: number): number => m.log2(x);
const log2_d0 = (_y: number, x: number): number => (1.0 / (x * 0.6931471805599453));
const log10_y = (x: number): number => m.log10(x);
const log10_d0 = (_y: number, x: number): number => (1.0 / (x * 2.302585092994046));
const sqrt_y = (x: number): number => m.sqrt(x);
const sqrt_d0 = (y: number): number => (0.5 / y);
const cbrt_y = (x: number): number => m.cbrt(x);
const cbrt_d0 = (y: number): number => (1.0 / (3.0 * (y * y)));
const hypot_y = (x: number, z: number): number => m.hypot(x, z);
const hypot_d0 = (y: number, x: number): number => (x / y);
const hypot_d1 = (y: number, _x: number, z: number): number => (z / y);
const sin_y = (x: number): number => m.sin(x);
const sin_d0 = (_y: number, x: number): number => m.cos(x);
const cos_y = (x: number): number => m.cos(x);
const cos_d0 = (_y: number, x: number): number => (-m.sin(x));
const tan_y = (x: number): number => m.tan(x);
const tan_d0 = (y: number): number => (1.0 + (y * y));
const asin_y = (x: number): number => m.asin(x);
const asin_d0 = (_y: number, x: number): number => (1.0 / m.sqrt(((1.0 - x) * (1.0 + x))));
const acos_y = (x: number): number => m.acos(x);
const acos_d0 = (_y: number, x: number): number => (-1.0 / m.sqrt(((1.0 - x) * (1.0 + x))));
const atan_y = (x: number): number => m.atan(x);
const atan_d0 = (_y: number, x: number): number => (1.0 / (1.0 + (x * x)));
const sinh_y = (x: number): number => m.sinh(x);
const sinh_d0 = (_y: number, x: number): number => m.cosh(x);
const cosh_y = (x: number): number => m.cosh(x);
const cosh_d0 = (_y: number, x: number): number => m.sinh(x);
const tanh_y = (x: number): number => m.tanh(x);
const tanh_d0 = (y: number): number => (1.0 - (y * y));
const asinh_y = (x: number): number => m.asinh(x);
const asinh_d0 = (_y: number, x: number): number => (1.0 / m.hypot(x, 1.0));
const acosh_y = (x: number): number => m.acosh(x);
const acosh_d0 = (_y: number, x: number): number => (1.0 / (m.sqrt((x - 1.0)) * m.sqrt((x + 1.0))));
const atanh_y = (x: number): number => m.atanh(x);
const atanh_d0 = (_y: number, x: number): number => (1.0 / ((1.0 - x) * (1.0 + x)));
const square_y = (x: number): number => (x * x);
const square_d0 = (_y: number, x: number): number => (2.0 * x);
const sign_y = (x: number): number => ((x > 0.0) ? 1.0 : ((x < 0.0) ? -1.0 : m.abs(x)));
const sign_d0 = (): number => 0.0;
const floor_y = (x: number): number => m.floor(x);
const floor_d0 = (): number => 0.0;
const ceil_y = (x: number): number => m.ceil(x);
const ceil_d0 = (): number => 0.0;
const trunc_y = (x: number): number => m.trunc(x);
const trunc_d0 = (): number => 0.0;
const round_y = (x: number): number => m.round(x);
const round_d0 = (): number => 0.0;
const remainder_y = (x: number, z: number): number => m.remainder(x, z);
const remainder_d0 = (): number => 1.0;
const remainder_d1 = (_y: number, x: number, z: number): number => (-m.floorDivide(x, z));
const floor_divide_y = (x: number, z: number): number => m.floorDivide(x, z);
const floor_divide_d0 = (): number => 0.0;
const floor_divide_d1 = (): number => 0.0;
const fmod_y = (x: number, z: number): number => m.fmod(x, z);
const fmod_d0 = (): number => 1.0;
const fmod_d1 = (_y: number, x: number, z: number): number => (-m.trunc((x / z)));
const copysign_y = (x: number, z: number): number => m.copysign(x, z);
const copysign_d0 = (_y: number, x: number, z: number): number => (sign_y(x) * m.copysign(1.0, z));
const copysign_d1 = (): number => 0.0;
const sigmoid_y = (x: number): number => (((x >= 0.0) ? 1.0 : m.exp((-m.abs(x)))) / (1.0 + m.exp((-m.abs(x)))));
const sigmoid_d0 = (y: number): number => (y * (1.0 - y));
const softplus_y = (x: number): number => (m.maximum(x, 0.0) + m.log1p(m.exp((-m.abs(x)))));
const softplus_d0 = (_y: number, x: number): number => sigmoid_y(x);
const logaddexp_y = (x: number, z: number): number => ((x === z) ? (x + 0.6931471805599453) : (m.maximum(x, z) + m.log1p(m.exp((-m.abs((x - z)))))));
const logaddexp_d0 = (_y: number, x: number, z: number): number => sigmoid_y((x - z));
const logaddexp_d1 = (_y: number, x: number, z: number): number => sigmoid_y((z - x));
const relu_y = (x: number): number => ((x <= 0.0) ? 0.0 : x);
const relu_d0 = (_y: number, x: number): number => ((x <= 0.0) ? 0.0 : 1.0);
const leaky_relu_y = (x: number, a: number): number => ((x > 0.0) ? x : (a * x));
const leaky_relu_d0 = (_y: number, x: number, a: number): number => ((x > 0.0) ? 1.0 : a);
const leaky_relu_d1 = (_y: number, x: number): number => ((x > 0.0) ? 0.0 : x);
const silu_y = (x: number): number => (x * sigmoid_y(x));
const silu_d0 = (_y: number, x: number): number => (sigmoid_y(x) * (1.0 + (x * (1.0 - sigmoid_y(x)))));
const erf_y = (x: number): number => m.erf(x);
const erf_d0 = (_y: number, x: number): number => (m.exp((-(x * x))) * 1.1283791670955126);
const atan2_y = (x: number, z: number): number => m.atan2(x, z);
const atan2_d0 = (_y: number, x: number, z: number): number => ((z / (((x === 0.0) && (z === 0.0)) ? 1.0 : m.hypot(x, z))) / (((x === 0.0) && (z === 0.0)) ? 1.0 : m.hypot(x, z)));
const atan2_d1 = (_y: number, x: number, z: number): number => (((-x) / (((x === 0.0) && (z === 0.0)) ? 1.0 : m.hypot(x, z))) / (((x === 0.0) && (z === 0.0)) ? 1.0 : m.hypot(x, z)));
const elu_y = (x: number, a: number): number => ((x > 0.0) ? x : (a * m.expm1(((x > 0.0) ? 0.0 : x))));
const elu_d0 = (_y: number, x: number, a: number): number => ((x > 0.0) ? 1.0 : (a * m.exp(((x > 0.0) ? 0.0 : x))));
const elu_d1 = (_y: number, x: number): number => ((x > 0.0) ? 0.0 : m.expm1(((x > 0.0) ? 0.0 : x)));
const gelu_y = (x: number): number => ((0.5 * x) * (1.0 + m.erf((x / 1.4142135623730951))));
const gelu_d0 = (_y: number, x: number): number => ((0.5 * (1.0 + m.erf((x / 1.4142135623730951)))) + ((x * m.exp((-0.5 * (x * x)))) / 2.5066282746310002));
const softsign_y = (x: number): number => (x / (1.0 + m.abs(x)));
const softsign_d0 = (_y: number, x: number): number => (1.0 / ((1.0 + m.abs(x)) * (1.0 + m.abs(x))));
const logsigmoid_y = (x: number): number => (-softplus_y((-x)));
const logsigmoid_d0 = (_y: number, x: number): number => sigmoid_y((-x));
const tanhshrink_y = (x: number): number => (x - m.tanh(x));
const tanhshrink_d0 = (_y: number, x: number): number => (m.tanh(x) * m.tanh(x));
const mish_y = (x: number): number => (x * m.tanh(softplus_y(x)));
const mish_d0 = (_y: number, x: number): number => (m.tanh(softplus_y(x)) + ((x * (1.0 - (m.tanh(softplus_y(x)) * m.tanh(softplus_y(x))))) * sigmoid_y(x)));
const quick_gelu_y = (x: number): number => (x * sigmoid_y((1.702 * x)));
const quick_gelu_d0 = (_y: number, x: number): number => (sigmoid_y((1.702 * x)) * (1.0 + ((1.702 * x) * (1.0 - sigmoid_y((1.702 * x))))));
const gelu_tanh_y = (x: number): number => (x * sigmoid_y((1.5957691216057308 * (x + (((0.044715 * x) * x) * x)))));
const gelu_tanh_d0 = (_y: number, x: number): number => (sigmoid_y((1.5957691216057308 * (x + (((0.044715 * x) * x) * x)))) + (((x * sigmoid_y((1.5957691216057308 * (x + (((0.044715 * x) * x) * x))))) * sigmoid_y((-(1.5957691216057308 * (x + (((0.044715 * x) * x) * x)))))) * (1.5957691216057308 * (1.0 + (0.134145 * m.minimum((x * x), 10000.0))))));
const hardtanh_y = (x: number): number => ((x <= -1.0) ? -1.0 : ((x >= 1.0) ? 1.0 : x));
const hardtanh_d0 = (_y: number, x: number): number => ((x <= -1.0) ? 0.0 : ((x >= 1.0) ? 0.0 : 1.0));
const relu6_y = (x: number): number => ((x <= 0.0) ? 0.0 : ((x >= 6.0) ? 6.0 : x));
const relu6_d0 = (_y: number, x: number): number => ((x <= 0.0) ? 0.0 : ((x >= 6.0) ? 0.0 : 1.0));
const hardsigmoid_y = (x: number): number => (relu6_y((x + 3.0)) / 6.0);
const hardsigmoid_d0 = (_y: number, x: number): number => ((x <= -3.0) ? 0.0 : ((x >= 3.0) ? 0.0 : 0.16666666666666666));
const hardswish_y = (x: number): number => ((x * relu6_y((x + 3.0))) / 6.0);
const hardswish_d0 = (_y: number, x: number): number => ((x <= -3.0) ? 0.0 : ((x < 3.0) ? ((x / 3.0) + 0.5) : 1.0));
const hardshrink_y = (x: number, a: number): number => (((x >= (-a)) && (x <= a)) ? 0.0 : x);
const hardshrink_d0 = (_y: number, x: number, a: number): number => (((x >= (-a)) && (x <= a)) ? 0.0 : 1.0);
const hardshrink_d1 = (): number => 0.0;
const softshrink_y = (x: number, a: number): number => (((x >= (-a)) && (x <= a)) ? 0.0 : ((x > 0.0) ? (x - a) : (x + a)));
const softshrink_d0 = (_y: number, x: number, a: number): number => (((x >= (-a)) && (x <= a)) ? 0.0 : 1.0);
const softshrink_d1 = (_y: number, x: number, a: number): number => (((x >= (-a)) && (x <= a)) ? 0.0 : ((x > 0.0) ? -1.0 : 1.0));
const selu_y = (x: number): number => (1.0507009873554805 * ((x > 0.0) ? x : (1.6732632423543772 * m.expm1(((x > 0.0) ? 0.0 : x)))));
const selu_d0 = (_y: number, x: number): number => (1.0507009873554805 * ((x > 0.0) ? 1.0 : (1.6732632423543772 * m.exp(((x > 0.0) ? 0.0 : x)))));
const celu_y = (x: number, a: number): number => ((x > 0.0) ? x : (a * m.expm1((((x > 0.0) ? 0.0 : x) / a))));
const celu_d0 = (_y: number, x: number, a: number): number => ((x > 0.0) ? 1.0 : m.exp((((x > 0.0) ? 0.0 : x) / a)));
const celu_d1 = (_y: number, x: number, a: number): number => ((x > 0.0) ? 0.0 : (m.expm1((((x > 0.0) ? 0.0 : x) / a)) - ((x / a) * m.exp((((x > 0.0) ? 0.0 : x) / a)))));

/** The rules by the names of their operations, as in a scene. */
export const TABLE: Record<string, Rule> = {
  "+": { operands: ["x", "z"], defaults: [], forward: add_y, partials: [add_d0, add_d1] },
  "-": { operands: ["x", "z"], defaults: [], forward: sub_y, partials: [sub_d0, sub_d1] },
  "*": { operands: ["x", "z"], defaults: [], forward: mul_y, partials: [mul_d0, mul_d1] },
  "/": { operands: ["x", "z"], defaults: [], forward: div_y, partials: [div_d0, div_d1] },
  "**": { operands: ["x", "z"], defaults: [], forward: pow_y, partials: [pow_d0, pow_d1] },
  "neg": { operands: ["x"], defaults: [], forward: neg_y, partials: [neg_d0] },
  "abs": { operands: ["x"], defaults: [], forward: abs_y, partials: [abs_d0] },
  "maximum": { operands: ["x", "z"], defaults: [], forward: maximum_y, partials: [maximum_d0, maximum_d1] },
  "minimum": { operands: ["x", "z"], defaults: [], forward: minimum_y, partials: [minimum_d0, minimum_d1] },
  "exp": { operands: ["x"], defaults: [], forward: exp_y, partials: [exp_d0] },
  "exp2": { operands: ["x"], defaults: [], forward: exp2_y, partials: [exp2_d0] },
  "expm1": { operands: ["x"], defaults: [], forward: expm1_y, partials: [expm1_d0] },
  "log": { operands: ["x"], defaults: [], forward: log_y, partials: [log_d0] },
  "log1p": { operands: ["x"], defaults: [], forward: log1p_y, partials: [log1p_d0] },
  "log2": { operands: ["x"], defaults: [], forward: log2_y, partials: [log2_d0] },
  "log10": { operands: ["x"], defaults: [], forward: log10_y, partials: [log10_d0] },
  "sqrt": { operands: ["x"], defaults: [], forward: sqrt_y, partials: [sqrt_d0] },
  "cbrt": { operands: ["x"], defaults: [], forward: cbrt_y, partials: [cbrt_d0] },
  "hypot": { operands: ["x", "z"], defaults: [], forward: hypot_y, partials: [hypot_d0, hypot_d1] },
  "sin": { operands: ["x"], defaults: [], forward: sin_y, partials: [sin_d0] },
  "cos": { operands: ["x"], defaults: [], forward: cos_y, partials: [cos_d0] },
  "tan": { operands: ["x"], defaults: [], forward: tan_y, partials: [tan_d0] },
  "asin": { operands: ["x"], defaults: [], forward: asin_y, partials: [asin_d0] },
  "acos": { operands: ["x"], defaults: [], forward: acos_y, partials: [acos_d0] },
  "atan": { operands: ["x"], defaults: [], forward: atan_y, partials: [atan_d0] },
  "sinh": { operands: ["x"], defaults: [], forward: sinh_y, partials: [sinh_d0] },
  "cosh": { operands: ["x"], defaults: [], forward: cosh_y, partials: [cosh_d0] },
  "tanh": { operands: ["x"], defaults: [], forward: tanh_y, partials: [tanh_d0] },
  "asinh": { operands: ["x"], defaults: [], forward: asinh_y, partials: [asinh_d0] },
  "acosh": { operands: ["x"], defaults: [], forward: acosh_y, partials: [acosh_d0] },
  "atanh": { operands: ["x"], defaults: [], forward: atanh_y, partials: [atanh_d0] },
  "square": { operands: ["x"], defaults: [], forward: square_y, partials: [square_d0] },
  "sign": { operands: ["x"], defaults: [], forward: sign_y, partials: [sign_d0] },
  "floor": { operands: ["x"], defaults: [], forward: floor_y, partials: [floor_d0] },
  "ceil": { operands: ["x"], defaults: [], forward: ceil_y, partials: [ceil_d0] },
  "trunc": { operands: ["x"], defaults: [], forward: trunc_y, partials: [trunc_d0] },
  "round": { operands: ["x"], defaults: [], forward: round_y, partials: [round_d0] },
  "%": { operands: ["x", "z"], defaults: [], forward: remainder_y, partials: [remainder_d0, remainder_d1] },
  "//": { operands: ["x", "z"], defaults: [], forward: floor_divide_y, partials: [floor_divide_d0, floor_divide_d1] },
  "fmod": { operands: ["x", "z"], defaults: [], forward: fmod_y, partials: [fmod_d0, fmod_d1] },
  "copysign": { operands: ["x", "z"], defaults: [], forward: copysign_y, partials: [copysign_d0, copysign_d1] },
  "sigmoid": { operands: ["x"], defaults: [], forward: sigmoid_y, partials: [sigmoid_d0] },
  "softplus": { operands: ["x"], defaults: [], forward: softplus_y, partials: [softplus_d0] },
  "logaddexp": { operands: ["x", "z"], defaults: [], forward: logaddexp_y, partials: [logaddexp_d0, logaddexp_d1] },
  "relu": { operands: ["x"], defaults: [], forward: relu_y, partials: [relu_d0] },
  "leaky_relu": { operands: ["x", "a"], defaults: [0.01], forward: leaky_relu_y, partials: [leaky_relu_d0, leaky_relu_d1] },
  "silu": { operands: ["x"], defaults: [], forward: silu_y, partials: [silu_d0] },
  "erf": { operands: ["x"], defaults: [], forward: erf_y, partials: [erf_d0] },
  "atan2": { operands: ["x", "z"], defaults: [], forward: atan2_y, partials: [atan2_d0, atan2_d1] },
  "elu": { operands: ["x", "a"], defaults: [1.0], forward: elu_y, partials: [elu_d0, elu_d1] },
  "gelu": { operands: ["x"], defaults: [], forward: gelu_y, partials: [gelu_d0] },
  "softsign": { operands: ["x"], defaults: [], forward: softsign_y, partials: [softsign_d0] },
  "logsigmoid": { operands: ["x"], defaults: [], forward: logsigmoid_y, partials: [logsigmoid_d0] },
  "tanhshrink": { operands: ["x"], defaults: [], forward: tanhshrink_y, partials: [tanhshrink_d0] },
  "mish": { operands: ["x"], defaults: [], forward: mish_y, partials: [mish_d0] },
  "quick_gelu": { operands: ["x"], defaults: [], forward: quick_gelu_y, partials: [quick_gelu_d0] },
  "gelu_tanh": { operands: ["x"], defaults: [], forward: gelu_tanh_y, partials: [gelu_tanh_d0] },
  "hardtanh": { operands: ["x"], defaults: [], forward: hardtanh_y, partials: [hardtanh_d0] },
  "relu6": { operands: ["x"], defaults: [], forward: relu6_y, partials: [relu6_d0] },
  "hardsigmoid": { operands: ["x"], defaults: [], forward: hardsigmoid_y, partials: [hardsigmoid_d0] },
  "hardswish": { operands: ["x"], defaults: [], forward: hardswish_y, partials: [hardswish_d0] },
  "hardshrink": { operands: ["x", "a"], defaults: [0.5], forward: hardshrink_y, partials: [hardshrink_d0, hardshrink_d1] },
  "softshrink": { operands: ["x", "a"], defaults: [0.5], forward: softshrink_y, partials: [softshrink_d0, softshrink_d1] },
  "selu": { operands: ["x"], defaults: [], forward: selu_y, partials: [selu_d0] },
  "celu": { operands: ["x", "a"], defaults: [1.0], forward: celu_y, partials: [celu_d0, celu_d1] },
};

/** The numbers of the operations of a tape; those of the rows start at FIRST_ROW. */
export const OPERATIONS = {
  CONST: 0,
  INPUT: 1,
  LT: 2,
  LE: 3,
  GT: 4,
  GE: 5,
  EQ: 6,
  NE: 7,
  AND: 8,
  OR: 9,
  NOT: 10,
  WHERE: 11,
  FIRST_ROW: 16,
} as const;
