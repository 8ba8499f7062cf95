// node_modules/preact/dist/preact.mjs
var e, t, n, r, i, a, o, s, c, l, u, d = Symbol.for("pv"), f = {}, p = [], m = /^m(i|n|o|s|text|space)$/, h = Array.isArray, g = p.slice, _ = Object.assign;
function v(e) {
	e && e.parentNode && e.remove();
}
function y(e, t, n) {
	var r, i, a, o = {}, s = arguments.length;
	for (a in t) a == "key" ? r = t[a] : a == "ref" && typeof e != "function" ? i = t[a] : o[a] = t[a];
	return s > 2 && (o.children = s > 3 ? g.call(arguments, 2) : n), b(e, o, r, i, null);
}
function b(n, r, i, a, o) {
	var s = {
		type: n,
		props: r,
		key: i,
		ref: a,
		__k: null,
		__: null,
		__b: 0,
		__e: null,
		__c: null,
		constructor: d,
		__v: o || ++t,
		__i: -1,
		__u: 0
	};
	return !o && e.vnode && e.vnode(s), s;
}
function x(e) {
	return e.children;
}
function S(e, t) {
	this.props = e, this.context = t, this.__g = 0;
}
function C(e, t) {
	if (t == null) return e.__ && C(e.__, e.__i + 1);
	for (var n; t < e.__k.length; t++) if ((n = e.__k[t]) && n.__e) return n.__e;
	return typeof e.type != "function" || e.props.__P ? null : C(e);
}
function w(t) {
	var n, r = t.__v, i = r.__e, a = [], o = [], s = t.__P;
	s && ((n = _({ constructor: d }, r)).__v = r.__v + 1, e.vnode && e.vnode(n), ae(s, n, r, t.__n, s.namespaceURI, 32 & r.__u ? [i] : null, a, i || C(r), 32 & r.__u, o), n.__v = r.__v, n.__.__k[n.__i] = n, A(a, n, o), r.__ = r.__e = null, n.__e != i && T(n));
}
function T(e) {
	if ((e = e.__) && e.__c && !e.props.__P) return e.__e = null, e.__k.some(function(t) {
		return t && (e.__e = t.__e);
	}), T(e);
}
function E(t) {
	(8 & t.__g || (t.__g |= 8, r.push(t), a++)) && i == e.debounceRendering || ((i = e.debounceRendering) || queueMicrotask)(D);
}
function D() {
	try {
		for (var e, t = 1; r.length;) r.length > t && r.sort(o), e = r.shift(), t = r.length, 8 & e.__g && w(e);
	} finally {
		(a = r.length) && (i || queueMicrotask)(D);
	}
}
function ee(e, t, n, r, i, a, o, s, c, l, u) {
	var d, m, h, g, _, v, y = r.__k || p, b = t.length;
	for (c = O(n, t, y, c, b), d = 0; d < b; d++) (h = n.__k[d]) != null && (m = ~h.__i && y[h.__i] || f, h.__i = d, v = ae(e, h, m, i, a, o, s, c, l, u), g = h.__e, (m.ref != h.ref || 8 & m.__u) && (m.ref && j(m.ref, null, h, m), h.ref && u.push(h.ref, h.__c || g, h)), _ ||= g, 4 & h.__u ? (c = k(h, c, e, !m.__v), m.__e && (m.__e = null)) : typeof h.type == "function" && v !== void 0 ? c = v : g && (c = g.nextSibling), h.__u &= -21);
	return n.__e = _, c;
}
function O(e, t, n, r, i) {
	var a, o, s, c, l, u, f, p, m, g = n.length, _ = g, v = 0, y = 0, S = e.__k = Array(i);
	for (a = 0; a < i; a++) (o = t[a]) != null && typeof o != "boolean" && typeof o != "function" ? (typeof o != "object" || o.constructor === String ? o = S[a] = b(null, o) : h(o) ? o = S[a] = b(x, { children: o }) : o.constructor === d && o.__b ? o = S[a] = b(o.type, o.props, o.key, o.ref, o.__v) : S[a] = o, c = a + v, o.__ = e, o.__b = e.__b + 1, s = null, ~(l = o.__i = te(o, n, c, _)) && (_--, (s = n[l]) && (s.__u |= 2)), s && s.__v ? (o.__u |= 16, l == c - 1 ? v-- : l == c + 1 ? v++ : l != c && (l > c ? v-- : v++, y = 1)) : (~l || (i > g ? v-- : i < g && v++), typeof o.type != "function" && (o.__u |= 4))) : S[a] = null;
	if (y) {
		for (u = [], f = [], a = 0; a < i; a++) if ((o = S[a]) && 16 & o.__u) {
			for (v = 0, p = u.length; v < p;) u[m = v + p >> 1] < o.__i ? v = m + 1 : p = m;
			u[v] = o.__i, f[a] = v + 1;
		}
		for (v = u.length; a--;) f[a] && (f[a] == v ? v-- : S[a].__u |= 4);
	}
	if (_) for (a = 0; a < g; a++) !(s = n[a]) || 2 & s.__u || (s.__e == r && (r = C(s)), le(s, s));
	return r;
}
function k(e, t, n, r) {
	var i, a, o, s;
	if (typeof e.type == "function") {
		if (e.props.__P) return t;
		if (i = e.__k) for (a = 0; a < i.length; a++) i[a] && (i[a].__ = e, t = k(i[a], t, n, !1));
		return t;
	}
	for (t && !t.parentNode && (t = C(e)) && !t.parentNode && (t = null), o = e.__e, s = t; s && s.nodeType == 8;) s = s.nextSibling;
	for (o != s && (!r && n.moveBefore && o.parentNode ? n.moveBefore(o, t) : n.insertBefore(o, t || null)), t = o; (t &&= t.nextSibling) && t.nodeType == 8 && !t.data.startsWith("$s"););
	return t;
}
function te(e, t, n, r) {
	var i, a = e.key, o = e.type, s = t[n], c = s && !(2 & s.__u);
	if (s === null && a == null || c && a == s.key && o == s.type) return n;
	if (r > +!!c) {
		for (i = n - 1; i >= 0; i--) if ((s = t[i]) && !(2 & s.__u) && a == s.key && o == s.type) return i;
		for (i = n + 1; i < t.length; i++) if ((s = t[i]) && !(2 & s.__u) && a == s.key && o == s.type) return i;
	}
	return -1;
}
function ne(e, t, n) {
	n ??= "", t[0] == "-" ? e.setProperty(t, n) : e[t] = n;
}
function re(e, t, n, r, i) {
	var a, o;
	if (t == "style") {
		if (typeof n == "string") e.style.cssText = n;
		else {
			if (typeof r == "string" && (e.style.cssText = r = ""), r) for (t in r) n && t in n || ne(e.style, t);
			if (n) for (t in n) r && n[t] == r[t] || ne(e.style, t, n[t]);
		}
	} else if (t[0] == "o" && t[1] == "n") typeof n != "function" && (n = null), typeof r != "function" && (r = null), (e.__e ||= {})[t] = n, n && r || (o = u[t] || (u[t] = ie(t)), (e.__a ||= {})[t] = l, a = t != (t = t.replace(c, "$1")), (t = t.slice(2))[0] < "a" && (t = t.toLowerCase()), n ? e.addEventListener(t, o, a) : e.removeEventListener(t, o, a));
	else {
		if (i == "http://www.w3.org/2000/svg") t = t.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
		else if (t != "width" && t != "height" && t != "href" && t != "list" && t != "form" && t != "tabIndex" && t != "download" && t != "rowSpan" && t != "colSpan" && t != "role" && t != "popover" && t in e) try {
			e[t] = n ?? "";
			return;
		} catch {}
		if (typeof n == "function") return;
		n == null || !1 === n && t[4] != "-" ? e.removeAttribute(t) : e.setAttribute(t, t == "popover" && n == 1 ? "" : n);
	}
}
function ie(t) {
	return function(n) {
		var r = this.__e;
		if (r) {
			if (r = r[t], n[s] == null) n[s] = l++;
			else if (n[s] < this.__a[t]) return;
			return r(e.event ? e.event(n) : n);
		}
	};
}
function ae(t, n, r, i, a, o, s, c, l, u) {
	var f, m, g, y, b, w, T, E, D, O, k, te, ne, re, ie, ae, A, j, M = n.type;
	if (n.constructor !== d) return null;
	128 & r.__u && (l = 32 & r.__u, f = r.__c.__z) && (n.__u |= l, m = o = [], f.nodeType == 8 ? c = oe(f, o) : o.push(f), c = o[0] || c), (f = e.__b) && f(n);
	n: if (typeof M == "function") {
		g = s.length;
		try {
			if (E = n.props, D = (f = M.prototype) && f.render, O = (f = M.contextType) && i[f.__c], k = f ? O ? O.props.value : f.__ : i, (y = r.__c) ? (n.__c = y, 2 & y.__g && (y.__g |= 1)) : (D ? n.__c = y = new M(E, k) : (n.__c = y = new S(E, k), y.constructor = M, y.render = ue), O && O.sub(y), y.state || (y.state = {}), y.__n = i, y.__g |= 8, y.__h = [], y.__k = []), D && (y.__s || (y.__s = y.state), M.getDerivedStateFromProps && (y.__s == y.state && (y.__s = _({}, y.__s)), _(y.__s, M.getDerivedStateFromProps(E, y.__s)))), b = y.props, w = y.state, y.__v = n, r.__c) {
				if (E !== b && D && !M.getDerivedStateFromProps && y.componentWillReceiveProps && y.componentWillReceiveProps(E, k), n.__v == r.__v && !(8 & y.__g) || !(4 & y.__g) && y.shouldComponentUpdate && !1 === y.shouldComponentUpdate(E, y.__s, k)) {
					n.__v != r.__v && (y.props = E, y.state = y.__s, y.__g &= -9), n.__e = r.__e, n.__k = r.__k, n.__k.some(function(e) {
						e && (e.__ = n);
					}), p.push.apply(y.__h, y.__k), y.__k = [], y.__h.length && s.push(y), c = C(r);
					break n;
				}
				y.componentWillUpdate && y.componentWillUpdate(E, y.__s, k), D && y.componentDidUpdate && y.__h.push(function() {
					y.componentDidUpdate(b, w, T);
				});
			} else D && !M.getDerivedStateFromProps && y.componentWillMount && y.componentWillMount(), D && y.componentDidMount && y.__h.push(y.componentDidMount);
			y.context = k, y.props = E, y.__P = t, y.__g &= -5, te = e.__r, ne = D ? 25 : 0;
			do
				y.__g &= -9, te && te(n), f = y.render(y.props, y.state = y.__s, y.context);
			while (8 & y.__g && ++ne < 25);
			D && (p.push.apply(y.__h, y.__k), y.__k = []), y.state = y.__s, y.getChildContext && (i = _({}, i, y.getChildContext())), D && r.__c && y.getSnapshotBeforeUpdate && (T = y.getSnapshotBeforeUpdate(b, w)), re = f && f.type === x && f.key == null ? f.props.children : f, E.__P && (f = c, a = (t = E.__P).namespaceURI, l = o = null, r.props && r.props.__P != t && (r.__k.some(function(e) {
				e && le(e, e);
			}), r.__k = null), c = r.__k ? C(r, 0) : null), c = ee(t, h(re) ? re : [re], n, r, i, a, o, s, c, l, u), E.__P && (n.__e = null, c = f), n.__u &= -161, m && m.some(v), y.__h.length && s.push(y), 1 & y.__g && (y.__g &= -4);
		} catch (t) {
			if (s.length = g, n.__v = null, l || o) {
				if (t && t.then) {
					if (n.__u |= 128 | l, o) {
						for (~(A = o.indexOf(c || void 0)) || (A = o.length); (j = o[A - 1]) && j.nodeType == 8;) A--;
						for (; A < o.length; A++) if (j = o[A]) {
							if (o[A] = null, ie) {
								if (j == ae) break;
							} else {
								if (j.nodeType != 8) break;
								j.data.startsWith("$s") && (ae = oe(ie = j));
							}
						}
					}
					if (!ie) {
						for (; c && c.nodeType == 8 && c.nextSibling;) c = c.nextSibling;
						ie = c;
					}
					(f = oe(ie = n.__c.__z || (n.__c.__z = ie))) ? (n.__e = ie, c = f) : n.__e = c, c &&= c.nextSibling;
				} else o && o.some(v);
			} else n.__e = r.__e;
			n.__k ||= r.__k || [], t && t.then || se(n), e.__e(t, n, r);
		}
	} else c = n.__e = ce(r.__e, n, r, i, a, o, s, l, u, t);
	return (f = e.diffed) && f(n), c;
}
function oe(e, t) {
	if (e && e.nodeType == 8 && e.data.startsWith("$s")) for (var n = 1; e = e.nextSibling;) {
		if (e.nodeType == 8) {
			if (e.data.startsWith("$s")) n++;
			else if (e.data.startsWith("/$s") && !--n) return e;
		}
		t && t.push(e);
	}
}
function se(e) {
	e && (e.__c && (e.__c.__g |= 4), e.__k && e.__k.some(se));
}
function A(t, n, r) {
	for (var i = 0; i < r.length;) j(r[i++], r[i++], r[i++]);
	e.__c && e.__c(n, t), t.some(function(n) {
		try {
			t = n.__h, n.__h = [], t.some(function(e) {
				e.call(n);
			});
		} catch (t) {
			e.__e(t, n.__v);
		}
	});
}
function ce(t, n, r, i, a, o, s, c, l, u) {
	var d, p, _, y, b, x, S, w, T = r.props || f, E = n.props, D = n.type;
	if (D == "svg" ? a = "http://www.w3.org/2000/svg" : D == "math" ? a = "http://www.w3.org/1998/Math/MathML" : a ||= "http://www.w3.org/1999/xhtml", o) {
		for (d = 0; d < o.length; d++) if ((b = o[d]) && (D ? b.localName == D : b.nodeType == 3)) {
			t = b, o[d] = null;
			break;
		}
	}
	if (!t) {
		if (w = u.ownerDocument || document, !D) return w.createTextNode(E);
		t = w.createElementNS(a, D, E.is ? E : u), c &&= (e.__m && e.__m(n, o), !1), o = null;
	}
	if (D) {
		if (u = D == "template" && t.content || t, o = D == "textarea" && E.defaultValue != null ? null : o && g.call(u.childNodes), !c && o) for (T = {}, d = 0; d < t.attributes.length; d++) T[(b = t.attributes[d]).name] = b.value;
		for (d in T) b = T[d], d == "dangerouslySetInnerHTML" ? _ = b : d == "children" || d in E || d == "value" && "defaultValue" in E || d == "checked" && "defaultChecked" in E || re(t, d, null, b, a);
		for (d in E) b = E[d], d == "children" ? y = b : d == "dangerouslySetInnerHTML" ? p = b : d == "value" ? x = b : d == "checked" ? S = b : c && typeof b != "function" || T[d] === b || re(t, d, b, T[d], a);
		p ? (c || _ && (p.__html == _.__html || p.__html == t.innerHTML) || (t.innerHTML = p.__html), n.__k = []) : (_ && (t.textContent = ""), (D == "foreignObject" || a == "http://www.w3.org/1998/Math/MathML" && m.test(D)) && (a = "http://www.w3.org/1999/xhtml"), ee(u, h(y) ? y : [y], n, r, i, a, o, s, o ? o[0] : r.__k && C(r, 0), c, l), o && o.some(v)), c && D != "textarea" || (d = "value", D == "progress" && x == null ? t.removeAttribute(d) : x == null || x === t[d] && (D != "progress" || x) || re(t, d, x, T[d], a), d = "checked", S != null && S != t[d] && re(t, d, S, T[d], a));
	} else T === E || c && t.data == E || (t.data = E);
	return t;
}
function j(t, n, r, i) {
	try {
		typeof t == "function" ? n ? n.__x = t(n) || 1 : (i &&= i.__c || i.__e) && (n = i.__x) && (i.__x = null, typeof n == "function" ? n() : t(null)) : t.current = n;
	} catch (t) {
		e.__e(t, r);
	}
}
function le(t, n, r) {
	var i, a, o, s;
	if (e.unmount && e.unmount(t), !(i = t.ref) || i.current && i.current != t.__e || j(i, null, n, t), i = t.__c) {
		if (i.componentWillUnmount) try {
			i.componentWillUnmount();
		} catch (t) {
			e.__e(t, n);
		}
		i.__P = i.__n = null;
	}
	if (i = t.__k) for (s = 0; s < i.length; s++) i[s] && le(i[s], n, typeof t.type != "function" || r && !t.props.__P);
	!r && (i = t.__c) && (i = i.__z) && (a = oe(i, o = [])) && (i == t.__e && o.some(v), v(a), v(i)), r || v(t.__e), t.__e = t.__c = t.__ = null;
}
function ue(e, t, n) {
	return this.constructor(e, n);
}
function M(t, n) {
	var r, i, a, o;
	e.__ && e.__(t, n), n.nodeType == 9 && (n = n.documentElement), i = (r = t && 32 & t.__u) ? null : n.__k, n.__k = b(x, { children: [t] }), a = [], o = [], ae(n, n.__k, i || f, f, n.namespaceURI, i ? null : n.firstChild ? g.call(n.childNodes) : null, a, i ? i.__e : n.firstChild, r, o), A(a, n.__k, o), n.__k.props.children = null;
}
e = { __e: function(e, t, n, r) {
	for (var i, o, s; t = t.__;) if ((i = t.__c) && !(1 & i.__g)) {
		i.__g |= 4;
		try {
			if ((s = (o = i.constructor) && o.getDerivedStateFromError) && i.setState(o.getDerivedStateFromError(e)), i.componentDidCatch && (i.componentDidCatch(e, r || {}), s = 1), s && 8 & i.__g) return void (i.__g |= 2);
		} catch (t) {
			e = t;
		}
	}
	throw a = 0, e;
} }, t = 0, n = function(e) {
	return e != null && e.constructor === d;
}, S.prototype.setState = function(e, t) {
	var n = this.__s;
	n && n != this.state || (n = this.__s = _({}, this.state)), typeof e == "function" && (e = e(_({}, n), this.props)), e && (_(n, e), this.__v && (t && this.__k.push(t), E(this)));
}, S.prototype.forceUpdate = function(e) {
	this.__v && (this.__g |= 4, e && this.__h.push(e), E(this));
}, S.prototype.render = x, r = [], a = 0, o = function(e, t) {
	return e.__v.__b - t.__v.__b;
}, s = Symbol(), c = /(PointerCapture)$|Capture$/i, l = 0, u = {};
// src/shared/numbers.ts
function de(e) {
	return e == null ? NaN : Number(e);
}
function fe(e) {
	return Number.isFinite(e) ? e : String(e);
}
var pe = {
	"-": "⁻",
	0: "⁰",
	1: "¹",
	2: "²",
	3: "³",
	4: "⁴",
	5: "⁵",
	6: "⁶",
	7: "⁷",
	8: "⁸",
	9: "⁹"
};
function N(e, t = 4) {
	let n = de(e);
	if (Number.isNaN(n)) return e == null ? "–" : "NaN";
	if (!Number.isFinite(n)) return n > 0 ? "∞" : "−∞";
	let r = Math.abs(n);
	if (r !== 0 && (r < 1e-4 || r >= 1e6)) {
		let [e = "0", r = "0"] = n.toExponential(Math.max(0, t - 2)).split("e"), i = String(Number(r)).replace(/./g, (e) => pe[e] ?? e);
		return `${Number(e)}·10${i}`.replace("-", "−");
	}
	return String(Number(n.toPrecision(t))).replace("-", "−");
}
function me(e) {
	let t = de(e);
	return t < 0 ? "negative" : t > 0 ? "positive" : "";
}
// src/rules/functions.ts
var { abs: P, sqrt: he, cbrt: ge, hypot: _e, exp: F, expm1: ve, log: ye, log1p: be, log2: xe, log10: Se, floor: Ce, ceil: we, trunc: Te } = Math, { sin: Ee, cos: De, tan: Oe, asin: ke, acos: Ae, atan: je, atan2: Me, sinh: Ne, cosh: Pe, tanh: I, asinh: Fe, acosh: Ie, atanh: Le } = Math;
function Re(e) {
	return 2 ** e;
}
function ze(e, t) {
	return e === 1 || e === -1 && (t === Infinity || t === -Infinity) ? 1 : e ** t;
}
function Be(e) {
	let t = Math.abs(e);
	return t < 2 ** 52 ? Ve(t + 2 ** 52 - 2 ** 52, e) : e;
}
function Ve(e, t) {
	return t < 0 || Object.is(t, -0) ? -Math.abs(e) : Math.abs(e);
}
function He(e, t) {
	return e > t || Number.isNaN(e) ? e : t;
}
function Ue(e, t) {
	return e < t || Number.isNaN(e) ? e : t;
}
function We(e, t) {
	return e % t;
}
function Ge(e, t) {
	let n = e % t;
	return n === 0 ? Ve(0, t) : t < 0 == n < 0 ? n : n + t;
}
function Ke(e, t) {
	if (t === 0) return e / t;
	let n = e % t, r = (e - n) / t - +(n !== 0 && t < 0 != n < 0);
	if (r === 0) return Ve(0, e / t);
	let i = Math.floor(r);
	return r - i > .5 ? i + 1 : i;
}
var qe = 1.1283791670955126, Je = .1283791670955126, Ye = [
	-.37612638903183754,
	.11283791670955126,
	-.026866170645131252,
	.005223977625442188,
	-.0008548327023450853,
	.00012055332981789664,
	-1492565035840625e-20,
	16462114365889248e-22,
	-1.6365844691234924e-7,
	1.4807192815879218e-8,
	-1.2290555301717928e-9,
	9422759064650411e-26
], Xe = [
	.4795001221869535,
	.376759117811582,
	.28884436634648486,
	.21592493894014034,
	.15729920705028513,
	.11161176829829224,
	.07709987174354177,
	.051829927217909674,
	.033894853524689274,
	.021556266760016336,
	.013328328780817557,
	.00800994232988003,
	.004677734981047266,
	.0026540293594823415,
	.0014627165866811518,
	.0007829382178911192,
	.0004069520174449589,
	.00020537573614121745,
	.00010062192211963683,
	4785483974377341e-20,
	2209049699858544e-20,
	989673462524562e-20,
	4302779463675122e-21,
	18152814274403558e-22,
	7.430983723414128e-7,
	2.951401925115699e-7,
	1.1372725656979665e-7,
	4.2513944082491124e-8,
	1.541725790028002e-8,
	5.423400799565066e-9,
	1.8505741373867425e-9,
	612483295356936e-24,
	19661604415428876e-26,
	6121610513034226e-26,
	18485047721485312e-27,
	5413406466297941e-27,
	1537459794428035e-27,
	4234563376336224e-28,
	11310313266887154e-29,
	29294885544871546e-30,
	7357847917974398e-30,
	17920200056510066e-31,
	4232136617425738e-31,
	9691555645277176e-32,
	21519736712498913e-33
];
function Ze(e) {
	let t = Math.abs(e);
	if (t < .5) {
		let t = 0;
		for (let n = Ye.length - 1; n >= 0; n--) t = (t + Ye[n]) * (e * e);
		return e + e * (Je + t);
	}
	if (t >= 6) return Math.sign(e);
	if (Number.isNaN(e)) return NaN;
	let n = Math.round(8 * t), [r, i] = [n / 8, t - n / 8], [a, o] = [0, i], [s, c] = [0, qe * Math.exp(-r * r)];
	for (let e = 1; e <= 14; e++) a += c * o / e, o *= i, [s, c] = [c, -2 * (r * c + s) / e];
	return Ve(1 - (Xe[n - 4] - a), e);
}
// src/rules/table.ts
var Qe = (e, t) => e + t, $e = () => 1, et = () => 1, tt = (e, t) => e - t, nt = () => 1, rt = () => -1, it = (e, t) => e * t, at = (e, t, n) => n, ot = (e, t) => t, st = (e, t) => e / t, ct = (e, t, n) => 1 / n, lt = (e, t, n) => -e / n, ut = (e, t) => ze(e, t), dt = (e, t, n) => n === 0 ? 0 : n * ze(t, n - 1), ft = (e, t, n) => t === 0 && n >= 0 ? 0 : e * ye(t), pt = (e) => -e, mt = () => -1, ht = (e) => P(e), gt = (e, t) => t > 0 ? 1 : t < 0 ? -1 : 0, _t = (e, t) => He(e, t), vt = (e, t, n) => t < n ? 0 : t === n ? .5 : 1, yt = (e, t, n) => n < t ? 0 : t === n ? .5 : 1, bt = (e, t) => Ue(e, t), xt = (e, t, n) => t > n ? 0 : t === n ? .5 : 1, St = (e, t, n) => n > t ? 0 : t === n ? .5 : 1, Ct = (e) => F(e), wt = (e) => e, Tt = (e) => Re(e), Et = (e) => e * .6931471805599453, Dt = (e) => ve(e), Ot = (e, t) => F(t), kt = (e) => ye(e), At = (e, t) => 1 / t, jt = (e) => be(e), Mt = (e, t) => 1 / (1 + t), Nt = (e) => xe(e), Pt = (e, t) => 1 / (t * .6931471805599453), Ft = (e) => Se(e), It = (e, t) => 1 / (t * 2.302585092994046), Lt = (e) => he(e), Rt = (e) => .5 / e, zt = (e) => ge(e), Bt = (e) => 1 / (e * e * 3), Vt = (e, t) => _e(e, t), Ht = (e, t) => t / e, Ut = (e, t, n) => n / e, Wt = (e) => Ee(e), Gt = (e, t) => De(t), Kt = (e) => De(e), qt = (e, t) => -Ee(t), Jt = (e) => Oe(e), Yt = (e) => 1 + e * e, Xt = (e) => ke(e), Zt = (e, t) => 1 / he((1 - t) * (1 + t)), Qt = (e) => Ae(e), $t = (e, t) => -1 / he((1 - t) * (1 + t)), en = (e) => je(e), tn = (e, t) => 1 / (1 + t * t), nn = (e) => Ne(e), rn = (e, t) => Pe(t), an = (e) => Pe(e), on = (e, t) => Ne(t), sn = (e) => I(e), cn = (e) => 1 - e * e, ln = (e) => Fe(e), un = (e, t) => 1 / _e(t, 1), dn = (e) => Ie(e), fn = (e, t) => 1 / (he(t - 1) * he(t + 1)), pn = (e) => Le(e), mn = (e, t) => 1 / ((1 - t) * (1 + t)), hn = (e) => e * e, gn = (e, t) => 2 * t, _n = (e) => e > 0 ? 1 : e < 0 ? -1 : P(e), vn = () => 0, yn = (e) => Ce(e), bn = () => 0, xn = (e) => we(e), Sn = () => 0, Cn = (e) => Te(e), wn = () => 0, Tn = (e) => Be(e), En = () => 0, Dn = (e, t) => Ge(e, t), On = () => 1, kn = (e, t, n) => -Ke(t, n), An = (e, t) => Ke(e, t), jn = () => 0, Mn = () => 0, Nn = (e, t) => We(e, t), Pn = () => 1, Fn = (e, t, n) => -Te(t / n), In = (e, t) => Ve(e, t), Ln = (e, t, n) => _n(t) * Ve(1, n), Rn = () => 0, L = (e) => (e >= 0 ? 1 : F(-P(e))) / (1 + F(-P(e))), zn = (e) => e * (1 - e), Bn = (e) => He(e, 0) + be(F(-P(e))), Vn = (e, t) => L(t), Hn = (e, t) => e === t ? e + .6931471805599453 : He(e, t) + be(F(-P(e - t))), Un = (e, t, n) => L(t - n), Wn = (e, t, n) => L(n - t), Gn = (e) => e <= 0 ? 0 : e, Kn = (e, t) => t <= 0 ? 0 : 1, qn = (e, t) => e > 0 ? e : t * e, Jn = (e, t, n) => t > 0 ? 1 : n, Yn = (e, t) => t > 0 ? 0 : t, Xn = (e) => e * L(e), Zn = (e, t) => L(t) * (1 + t * (1 - L(t))), Qn = (e) => Ze(e), $n = (e, t) => F(-(t * t)) * 1.1283791670955126, er = (e, t) => Me(e, t), tr = (e, t, n) => n / (t === 0 && n === 0 ? 1 : _e(t, n)) / (t === 0 && n === 0 ? 1 : _e(t, n)), nr = (e, t, n) => -t / (t === 0 && n === 0 ? 1 : _e(t, n)) / (t === 0 && n === 0 ? 1 : _e(t, n)), rr = (e, t) => e > 0 ? e : t * ve(e > 0 ? 0 : e), ir = (e, t, n) => t > 0 ? 1 : n * F(t > 0 ? 0 : t), ar = (e, t) => t > 0 ? 0 : ve(t > 0 ? 0 : t), or = (e) => .5 * e * (1 + Ze(e / 1.4142135623730951)), sr = (e, t) => .5 * (1 + Ze(t / 1.4142135623730951)) + t * F(t * t * -.5) / 2.5066282746310002, cr = (e) => e / (1 + P(e)), lr = (e, t) => 1 / ((1 + P(t)) * (1 + P(t))), ur = (e) => -Bn(-e), dr = (e, t) => L(-t), fr = (e) => e - I(e), pr = (e, t) => I(t) * I(t), mr = (e) => e * I(Bn(e)), hr = (e, t) => I(Bn(t)) + t * (1 - I(Bn(t)) * I(Bn(t))) * L(t), gr = (e) => e * L(1.702 * e), _r = (e, t) => L(1.702 * t) * (1 + 1.702 * t * (1 - L(1.702 * t))), vr = (e) => e * L(1.5957691216057308 * (e + .044715 * e * e * e)), yr = (e, t) => L(1.5957691216057308 * (t + .044715 * t * t * t)) + t * L(1.5957691216057308 * (t + .044715 * t * t * t)) * L(-(1.5957691216057308 * (t + .044715 * t * t * t))) * (1.5957691216057308 * (1 + .134145 * Ue(t * t, 1e4))), br = (e) => e <= -1 ? -1 : e >= 1 ? 1 : e, xr = (e, t) => t <= -1 || t >= 1 ? 0 : 1, Sr = (e) => e <= 0 ? 0 : e >= 6 ? 6 : e, Cr = {
	"+": {
		operands: ["x", "z"],
		defaults: [],
		forward: Qe,
		partials: [$e, et]
	},
	"-": {
		operands: ["x", "z"],
		defaults: [],
		forward: tt,
		partials: [nt, rt]
	},
	"*": {
		operands: ["x", "z"],
		defaults: [],
		forward: it,
		partials: [at, ot]
	},
	"/": {
		operands: ["x", "z"],
		defaults: [],
		forward: st,
		partials: [ct, lt]
	},
	"**": {
		operands: ["x", "z"],
		defaults: [],
		forward: ut,
		partials: [dt, ft]
	},
	neg: {
		operands: ["x"],
		defaults: [],
		forward: pt,
		partials: [mt]
	},
	abs: {
		operands: ["x"],
		defaults: [],
		forward: ht,
		partials: [gt]
	},
	maximum: {
		operands: ["x", "z"],
		defaults: [],
		forward: _t,
		partials: [vt, yt]
	},
	minimum: {
		operands: ["x", "z"],
		defaults: [],
		forward: bt,
		partials: [xt, St]
	},
	exp: {
		operands: ["x"],
		defaults: [],
		forward: Ct,
		partials: [wt]
	},
	exp2: {
		operands: ["x"],
		defaults: [],
		forward: Tt,
		partials: [Et]
	},
	expm1: {
		operands: ["x"],
		defaults: [],
		forward: Dt,
		partials: [Ot]
	},
	log: {
		operands: ["x"],
		defaults: [],
		forward: kt,
		partials: [At]
	},
	log1p: {
		operands: ["x"],
		defaults: [],
		forward: jt,
		partials: [Mt]
	},
	log2: {
		operands: ["x"],
		defaults: [],
		forward: Nt,
		partials: [Pt]
	},
	log10: {
		operands: ["x"],
		defaults: [],
		forward: Ft,
		partials: [It]
	},
	sqrt: {
		operands: ["x"],
		defaults: [],
		forward: Lt,
		partials: [Rt]
	},
	cbrt: {
		operands: ["x"],
		defaults: [],
		forward: zt,
		partials: [Bt]
	},
	hypot: {
		operands: ["x", "z"],
		defaults: [],
		forward: Vt,
		partials: [Ht, Ut]
	},
	sin: {
		operands: ["x"],
		defaults: [],
		forward: Wt,
		partials: [Gt]
	},
	cos: {
		operands: ["x"],
		defaults: [],
		forward: Kt,
		partials: [qt]
	},
	tan: {
		operands: ["x"],
		defaults: [],
		forward: Jt,
		partials: [Yt]
	},
	asin: {
		operands: ["x"],
		defaults: [],
		forward: Xt,
		partials: [Zt]
	},
	acos: {
		operands: ["x"],
		defaults: [],
		forward: Qt,
		partials: [$t]
	},
	atan: {
		operands: ["x"],
		defaults: [],
		forward: en,
		partials: [tn]
	},
	sinh: {
		operands: ["x"],
		defaults: [],
		forward: nn,
		partials: [rn]
	},
	cosh: {
		operands: ["x"],
		defaults: [],
		forward: an,
		partials: [on]
	},
	tanh: {
		operands: ["x"],
		defaults: [],
		forward: sn,
		partials: [cn]
	},
	asinh: {
		operands: ["x"],
		defaults: [],
		forward: ln,
		partials: [un]
	},
	acosh: {
		operands: ["x"],
		defaults: [],
		forward: dn,
		partials: [fn]
	},
	atanh: {
		operands: ["x"],
		defaults: [],
		forward: pn,
		partials: [mn]
	},
	square: {
		operands: ["x"],
		defaults: [],
		forward: hn,
		partials: [gn]
	},
	sign: {
		operands: ["x"],
		defaults: [],
		forward: _n,
		partials: [vn]
	},
	floor: {
		operands: ["x"],
		defaults: [],
		forward: yn,
		partials: [bn]
	},
	ceil: {
		operands: ["x"],
		defaults: [],
		forward: xn,
		partials: [Sn]
	},
	trunc: {
		operands: ["x"],
		defaults: [],
		forward: Cn,
		partials: [wn]
	},
	round: {
		operands: ["x"],
		defaults: [],
		forward: Tn,
		partials: [En]
	},
	"%": {
		operands: ["x", "z"],
		defaults: [],
		forward: Dn,
		partials: [On, kn]
	},
	"//": {
		operands: ["x", "z"],
		defaults: [],
		forward: An,
		partials: [jn, Mn]
	},
	fmod: {
		operands: ["x", "z"],
		defaults: [],
		forward: Nn,
		partials: [Pn, Fn]
	},
	copysign: {
		operands: ["x", "z"],
		defaults: [],
		forward: In,
		partials: [Ln, Rn]
	},
	sigmoid: {
		operands: ["x"],
		defaults: [],
		forward: L,
		partials: [zn]
	},
	softplus: {
		operands: ["x"],
		defaults: [],
		forward: Bn,
		partials: [Vn]
	},
	logaddexp: {
		operands: ["x", "z"],
		defaults: [],
		forward: Hn,
		partials: [Un, Wn]
	},
	relu: {
		operands: ["x"],
		defaults: [],
		forward: Gn,
		partials: [Kn]
	},
	leaky_relu: {
		operands: ["x", "a"],
		defaults: [.01],
		forward: qn,
		partials: [Jn, Yn]
	},
	silu: {
		operands: ["x"],
		defaults: [],
		forward: Xn,
		partials: [Zn]
	},
	erf: {
		operands: ["x"],
		defaults: [],
		forward: Qn,
		partials: [$n]
	},
	atan2: {
		operands: ["x", "z"],
		defaults: [],
		forward: er,
		partials: [tr, nr]
	},
	elu: {
		operands: ["x", "a"],
		defaults: [1],
		forward: rr,
		partials: [ir, ar]
	},
	gelu: {
		operands: ["x"],
		defaults: [],
		forward: or,
		partials: [sr]
	},
	softsign: {
		operands: ["x"],
		defaults: [],
		forward: cr,
		partials: [lr]
	},
	logsigmoid: {
		operands: ["x"],
		defaults: [],
		forward: ur,
		partials: [dr]
	},
	tanhshrink: {
		operands: ["x"],
		defaults: [],
		forward: fr,
		partials: [pr]
	},
	mish: {
		operands: ["x"],
		defaults: [],
		forward: mr,
		partials: [hr]
	},
	quick_gelu: {
		operands: ["x"],
		defaults: [],
		forward: gr,
		partials: [_r]
	},
	gelu_tanh: {
		operands: ["x"],
		defaults: [],
		forward: vr,
		partials: [yr]
	},
	hardtanh: {
		operands: ["x"],
		defaults: [],
		forward: br,
		partials: [xr]
	},
	relu6: {
		operands: ["x"],
		defaults: [],
		forward: Sr,
		partials: [(e, t) => t <= 0 || t >= 6 ? 0 : 1]
	},
	hardsigmoid: {
		operands: ["x"],
		defaults: [],
		forward: (e) => Sr(e + 3) / 6,
		partials: [(e, t) => t <= -3 || t >= 3 ? 0 : .16666666666666666]
	},
	hardswish: {
		operands: ["x"],
		defaults: [],
		forward: (e) => e * Sr(e + 3) / 6,
		partials: [(e, t) => t <= -3 ? 0 : t < 3 ? t / 3 + .5 : 1]
	},
	hardshrink: {
		operands: ["x", "a"],
		defaults: [.5],
		forward: (e, t) => e >= -t && e <= t ? 0 : e,
		partials: [(e, t, n) => t >= -n && t <= n ? 0 : 1, () => 0]
	},
	softshrink: {
		operands: ["x", "a"],
		defaults: [.5],
		forward: (e, t) => e >= -t && e <= t ? 0 : e > 0 ? e - t : e + t,
		partials: [(e, t, n) => t >= -n && t <= n ? 0 : 1, (e, t, n) => t >= -n && t <= n ? 0 : t > 0 ? -1 : 1]
	},
	selu: {
		operands: ["x"],
		defaults: [],
		forward: (e) => 1.0507009873554805 * (e > 0 ? e : 1.6732632423543772 * ve(e > 0 ? 0 : e)),
		partials: [(e, t) => 1.0507009873554805 * (t > 0 ? 1 : 1.6732632423543772 * F(t > 0 ? 0 : t))]
	},
	celu: {
		operands: ["x", "a"],
		defaults: [1],
		forward: (e, t) => e > 0 ? e : t * ve((e > 0 ? 0 : e) / t),
		partials: [(e, t, n) => t > 0 ? 1 : F((t > 0 ? 0 : t) / n), (e, t, n) => t > 0 ? 0 : ve((t > 0 ? 0 : t) / n) - t / n * F((t > 0 ? 0 : t) / n)]
	}
};
// src/rules/graph.ts
function wr(e, t) {
	if (!e.computable) return;
	let n = [], r = e.nodes.map((r) => {
		let i = r.operands.map((e) => "node" in e ? n[e.node] : Number(e.constant)), a = e.inputs.includes(r.name) && Object.hasOwn(t, r.name);
		return i.length ? n.push(Cr[r.op].forward(i[0], i[1])) : n.push(a ? t[r.name] : de(r.data)), i;
	}), i = n.map((t, n) => Number(n === e.root)), a = e.steps.flatMap(({ phase: t, node: a, operand: o, parent: s }) => {
		if (t !== "backward") return [];
		let [c, l, u] = [
			r[a],
			i[a],
			i[s]
		], d = Cr[e.nodes[a].op].partials[o](n[a], c[0], c[1]), f = d * l, p = u + f;
		return i[s] = p, [[
			d,
			l,
			f,
			u,
			p
		].map(fe)];
	});
	return {
		nodes: n.map((e, t) => [fe(e), fe(i[t])]),
		steps: a
	};
}
// node_modules/preact/hooks/dist/hooks.mjs
var Tr, R, Er, Dr, Or = Object.is, kr = 0, Ar = [], jr = [], z = e, Mr = z.__b, Nr = z.__r, Pr = z.diffed, Fr = z.__c, Ir = z.unmount, Lr = z.__;
function Rr(e, t) {
	z.__h && z.__h(R, e, kr || t), kr = 0;
	var n = R.__H || (R.__H = {
		__: [],
		__h: []
	});
	return e >= n.__.length && n.__.push({}), n.__[e];
}
function B(e) {
	return kr = 1, zr(Yr, e);
}
function zr(e, t, n) {
	var r = Rr(Tr++, 2);
	if (r.t = e, !r.__c && (r.__ = [n ? n(t) : Yr(void 0, t), function(e) {
		var t = (r.__N || r.__)[0], n = r.t(t, e);
		Or(t, n) || (r.__N = [n, r.__[1]], r.__c.setState({}));
	}], r.__c = R, !R.__f)) {
		R.__f = !0;
		var i = R.shouldComponentUpdate;
		R.shouldComponentUpdate = function(e, t, n) {
			var r = this.__H;
			if (!r) return !0;
			var a = !1, o = this.props != e;
			if (r.__.some(function(e) {
				e.__N && (a = !0, Or(e.__[0], e.__N[0]) || (o = !0));
			}), i) {
				var s = i.call(this, e, t, n);
				return a ? s || o : s;
			}
			return !a || o;
		};
	}
	return r.__;
}
function V(e, t) {
	var n = Rr(Tr++, 3);
	!z.__s && Jr(n.__H, t) && (n.__P = !0, n.__ = e, n.u = t, R.__H.__h.push(n));
}
function Br(e, t) {
	var n = Rr(Tr++, 4);
	!z.__s && Jr(n.__H, t) && (n.__P = !1, n.__ = e, n.u = t, R.__h.push(n));
}
function Vr(e) {
	return kr = 5, H(function() {
		return { current: e };
	}, []);
}
function H(e, t) {
	var n = Rr(Tr++, 7);
	return Jr(n.__H, t) && (n.__ = e(), n.__H = t), n.__;
}
function U(e, t) {
	return kr = 8, H(function() {
		return e;
	}, t);
}
function Hr() {
	var e;
	do {
		for (; e = jr.shift();) try {
			Kr(e);
		} catch (t) {
			z.__e(t, { __: (e = e.__P) && e.__v });
		}
		for (; e = Ar.shift();) {
			var t = e.__H;
			if (e.__P && t) try {
				t.__h.some(Kr), t.__h.some(qr), t.__h = [];
			} catch (n) {
				t.__h = [], z.__e(n, e.__v);
			}
		}
	} while (jr.length);
}
z.__b = function(e) {
	R = null, Mr && Mr(e);
}, z.__ = function(e, t) {
	e && t.__k && t.__k.__m && (e.__m = t.__k.__m), Lr && Lr(e, t);
}, z.__r = function(e) {
	Nr && Nr(e), Tr = 0;
	var t = (R = e.__c).__H;
	t && (Er == R ? R.__h = [] : (t.__h.some(Kr), t.__h.some(qr), Tr = 0), t.__h = [], t.__.some(function(e) {
		e.__N && (e.__ = e.__N), e.u = e.__N = void 0;
	})), Er = R;
}, z.diffed = function(e) {
	Pr && Pr(e);
	var t = e.__c;
	t && t.__H && (t.__H.__h.length && Gr(Ar.push(t)), t.__H.__.some(function(e) {
		e.u && (e.__H = e.u);
	})), Er = R = null;
}, z.__c = function(e, t) {
	t.some(function(e) {
		try {
			e.__h.some(Kr), e.__h = e.__h.filter(function(e) {
				return !e.__ || qr(e);
			});
		} catch (t) {
			e.__h = [function() {
				throw t;
			}];
		}
	}), Fr && Fr(e, t);
}, z.unmount = function(e) {
	Ir && Ir(e);
	var t, n, r = e.__c;
	r && r.__H && (r.__H.__.some(function(r) {
		try {
			if (r.__P && r.__c) {
				if (n === void 0) {
					for (n = e.__; n && (!n.__c || !n.__c.__P);) n = n.__;
					n &&= n.__c;
				}
				r.__P = n, Gr(jr.push(r));
			} else Kr(r);
		} catch (e) {
			t = e;
		}
	}), r.__H = void 0, t && z.__e(t, r.__v));
};
var Ur = typeof requestAnimationFrame == "function";
function Wr(e) {
	var t, n = function() {
		clearTimeout(r), Ur && cancelAnimationFrame(t), setTimeout(e);
	}, r = setTimeout(n, 35);
	Ur && (t = requestAnimationFrame(n));
}
function Gr(e) {
	e != 1 && Dr == z.requestAnimationFrame || ((Dr = z.requestAnimationFrame) || Wr)(Hr);
}
function Kr(e) {
	var t = R, n = e.__c;
	typeof n == "function" && (e.__c = void 0, n()), R = t;
}
function qr(e) {
	var t = R;
	e.__c = e.__(), R = t;
}
function Jr(e, t) {
	return !e || e.length != t.length || t.some(function(t, n) {
		return !Or(t, e[n]);
	});
}
function Yr(e, t) {
	return typeof t == "function" ? t(e) : t;
}
// src/explore/memo.ts
function W(e) {
	return class extends S {
		shouldComponentUpdate(e) {
			for (let t in e) if (e[t] !== this.props[t]) return !0;
			return !1;
		}
		render() {
			return y(e, this.props);
		}
	};
}
// node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
var Xr = Symbol.for("pv"), Zr = 0;
Array.isArray;
function G(t, n, r, i, a, o) {
	n ||= {};
	var s, c, l = n;
	if ("ref" in l && typeof t != "function") for (c in l = {}, n) c == "ref" ? s = n[c] : l[c] = n[c];
	var u = {
		type: t,
		props: l,
		key: r,
		ref: s,
		__k: null,
		__: null,
		__b: 0,
		__e: null,
		__c: null,
		constructor: Xr,
		__v: --Zr,
		__i: -1,
		__u: 0
	};
	return (a || o) && (u.__source = a, u.__self = o), e.vnode && e.vnode(u), u;
}
// src/explore/Boxes.tsx
function Qr(e, t) {
	return e.length > t ? `${e.slice(0, t - 1)}…` : e;
}
var $r = W(({ index: e, name: t, formula: n, sign: r, x: i, y: a, width: o, height: s, classes: c, figures: l, showGradient: u, onHover: d, onSelect: f }) => {
	let [p, m] = [-o / 2, -s / 2], h = Qr(r, 8), g = Math.max(24, 12 + 7 * h.length);
	return /* @__PURE__ */ G("g", {
		class: c,
		transform: `translate(${i},${a})`,
		tabindex: 0,
		role: f ? "button" : "img",
		"aria-label": l.spoken,
		"data-node": t,
		onPointerEnter: () => d({ node: e }),
		onFocus: () => d({ node: e }),
		onBlur: () => d(null),
		onClick: () => f?.(e),
		onKeyDown: (t) => {
			f && (t.key === "Enter" || t.key === " ") && (t.preventDefault(), t.stopPropagation(), f(e));
		},
		children: [
			/* @__PURE__ */ G("rect", {
				class: "focus",
				x: p - 4,
				y: m - 4,
				width: o + 8,
				height: s + 8,
				rx: 13
			}),
			/* @__PURE__ */ G("rect", {
				class: "box",
				x: p,
				y: m,
				width: o,
				height: s,
				rx: 10
			}),
			r && /* @__PURE__ */ G("g", {
				class: "op",
				transform: `translate(${p + 12},${m + 11})`,
				children: [
					/* @__PURE__ */ G("title", { children: n }),
					/* @__PURE__ */ G("rect", {
						x: -7,
						y: -7,
						width: g,
						height: 18,
						rx: 9
					}),
					/* @__PURE__ */ G("text", {
						x: -7 + g / 2,
						y: 6,
						"text-anchor": "middle",
						children: h
					})
				]
			}),
			/* @__PURE__ */ G("text", {
				class: "name",
				x: -p - 10,
				y: m + 18,
				"text-anchor": "end",
				children: Qr(t, 10)
			}),
			/* @__PURE__ */ G("text", {
				class: "key",
				x: p + 9,
				y: m + 39,
				children: "value"
			}),
			/* @__PURE__ */ G("text", {
				class: "data",
				x: -p - 9,
				y: m + 39,
				"text-anchor": "end",
				children: l.data
			}),
			u && /* @__PURE__ */ G(x, { children: [
				/* @__PURE__ */ G("text", {
					class: "key",
					x: p + 9,
					y: m + 56,
					children: "grad"
				}),
				/* @__PURE__ */ G("text", {
					class: l.gradClass,
					x: -p - 9,
					y: m + 56,
					"text-anchor": "end",
					children: l.grad
				}),
				/* @__PURE__ */ G("rect", {
					class: l.barClass,
					x: p + 2,
					y: -m - 4,
					width: l.bar,
					height: 3,
					rx: 1.5
				})
			] })
		]
	});
}), ei = W(({ index: e, path: t, classes: n, figures: r, showGradient: i, onHover: a }) => /* @__PURE__ */ G("g", {
	class: n,
	children: [
		i && /* @__PURE__ */ G("path", {
			class: r.flowClass,
			d: t,
			"stroke-width": r.flow
		}),
		/* @__PURE__ */ G("path", {
			class: "line",
			d: t
		}),
		/* @__PURE__ */ G("path", {
			class: "touch",
			d: t,
			onPointerEnter: () => a({ edge: e })
		})
	]
}));
function ti({ text: e, x: t, y: n }) {
	return /* @__PURE__ */ G("g", {
		class: "local",
		transform: `translate(${t},${n})`,
		children: [/* @__PURE__ */ G("rect", {
			x: -(8 + 3.8 * e.length),
			y: -10,
			width: 16 + 7.6 * e.length,
			height: 20,
			rx: 10
		}), /* @__PURE__ */ G("text", {
			"text-anchor": "middle",
			y: 4,
			children: e
		})]
	});
}
// node_modules/@preact/signals-core/dist/signals-core.module.js
var ni = Symbol.for("preact-signals");
function ri() {
	if (q > 1) q--;
	else {
		var e, t = !1;
		for ((function() {
			var e = di;
			for (di = void 0; e !== void 0;) {
				var t = e.S;
				if (t.v === e.v) for (var n = t.t; n !== void 0; n = n.x) n.i === e.i && (n.i = t.i);
				e = e.o;
			}
		})(); si !== void 0;) {
			var n = si;
			for (si = void 0, ci++; n !== void 0;) {
				var r = n.u;
				if (n.u = void 0, n.f &= -3, !(8 & n.f) && mi(n)) try {
					n.c();
				} catch (n) {
					t ||= (e = n, !0);
				}
				n = r;
			}
		}
		if (ci = 0, q--, t) throw e;
	}
}
function ii(e) {
	if (q > 0) return e();
	ui = ++li, q++;
	try {
		return e();
	} finally {
		ri();
	}
}
var ai, K = void 0;
function oi(e) {
	var t = K, n = ai;
	K = void 0, ai = void 0;
	try {
		return e();
	} finally {
		K = t, ai = n;
	}
}
var si = void 0, q = 0, ci = 0, li = 0, ui = 0, di = void 0, fi = 0;
function pi(e) {
	if (K !== void 0) {
		var t = e.n;
		if (t === void 0 || t.t !== K) return t = {
			i: 0,
			S: e,
			p: K.s,
			n: void 0,
			t: K,
			e: void 0,
			x: void 0,
			r: t
		}, K.s !== void 0 && (K.s.n = t), K.s = t, e.n = t, 32 & K.f && e.S(t), t;
		if (t.i === -1) return t.i = 0, t.n !== void 0 && (t.n.p = t.p, t.p !== void 0 && (t.p.n = t.n), t.p = K.s, t.n = void 0, K.s.n = t, K.s = t), t;
	}
}
function J(e, t) {
	this.v = e, this.i = 0, this.n = void 0, this.t = void 0, this.l = 0, this.W = t?.watched, this.Z = t?.unwatched, this.name = t?.name;
}
J.prototype.brand = ni, J.prototype.h = function() {
	return !0;
}, J.prototype.S = function(e) {
	var t = this, n = this.t;
	n !== e && e.e === void 0 && (e.x = n, this.t = e, n === void 0 ? oi(function() {
		var e;
		(e = t.W) == null || e.call(t);
	}) : n.e = e);
}, J.prototype.U = function(e) {
	var t = this;
	if (this.t !== void 0) {
		var n = e.e, r = e.x;
		n !== void 0 && (n.x = r, e.e = void 0), r !== void 0 && (r.e = n, e.x = void 0), e === this.t && (this.t = r, r === void 0 && oi(function() {
			var e;
			(e = t.Z) == null || e.call(t);
		}));
	}
}, J.prototype.subscribe = function(e) {
	var t = this;
	return Ci(function() {
		var n = t.value;
		oi(function() {
			return e(n);
		});
	}, { name: "sub" });
}, J.prototype.valueOf = function() {
	return this.value;
}, J.prototype.toString = function() {
	return this.value + "";
}, J.prototype.toJSON = function() {
	return this.value;
}, J.prototype.peek = function() {
	var e = this;
	return oi(function() {
		return e.value;
	});
}, Object.defineProperty(J.prototype, "value", {
	get: function() {
		var e = pi(this);
		return e !== void 0 && (e.i = this.i), this.v;
	},
	set: function(e) {
		if (e !== this.v) {
			if (ci > 100) throw Error("Cycle detected");
			(function(e) {
				q !== 0 && ci === 0 && e.l !== ui && (e.l = ui, di = {
					S: e,
					v: e.v,
					i: e.i,
					o: di
				});
			})(this), this.v = e, this.i++, fi++, q++;
			try {
				for (var t = this.t; t !== void 0; t = t.x) t.t.N();
			} finally {
				ri();
			}
		}
	}
});
function Y(e, t) {
	return new J(e, t);
}
function mi(e) {
	for (var t = e.s; t !== void 0; t = t.n) if (t.S.i !== t.i || !t.S.h() || t.S.i !== t.i) return !0;
	return !1;
}
function hi(e) {
	for (var t = e.s; t !== void 0; t = t.n) {
		var n = t.S.n;
		if (n !== void 0 && (t.r = n), t.S.n = t, t.i = -1, t.n === void 0) {
			e.s = t;
			break;
		}
	}
}
function gi(e) {
	for (var t = e.s, n = void 0; t !== void 0;) {
		var r = t.p;
		t.i === -1 ? (t.S.U(t), r !== void 0 && (r.n = t.n), t.n !== void 0 && (t.n.p = r)) : n = t, t.S.n = t.r, t.r !== void 0 && (t.r = void 0), t = r;
	}
	e.s = n;
}
function _i(e, t) {
	J.call(this, void 0, t), this.x = e, this.s = void 0, this.g = fi - 1, this.f = 4;
}
_i.prototype = new J(), _i.prototype.h = function() {
	if (this.f &= -3, 1 & this.f) return !1;
	if ((36 & this.f) == 32 || (this.f &= -5, this.g === fi)) return !0;
	if (this.g = fi, this.f |= 1, this.i > 0 && !mi(this)) return this.f &= -2, !0;
	var e = K;
	try {
		hi(this), K = this;
		var t = this.x();
		(16 & this.f || this.v !== t || this.i === 0) && (this.v = t, this.f &= -17, this.i++);
	} catch (e) {
		this.v = e, this.f |= 16, this.i++;
	}
	return K = e, gi(this), this.f &= -2, !0;
}, _i.prototype.S = function(e) {
	if (this.t === void 0) {
		this.f |= 36;
		for (var t = this.s; t !== void 0; t = t.n) t.S.S(t);
	}
	J.prototype.S.call(this, e);
}, _i.prototype.U = function(e) {
	if (this.t !== void 0 && (J.prototype.U.call(this, e), this.t === void 0)) {
		this.f &= -33;
		for (var t = this.s; t !== void 0; t = t.n) t.S.U(t);
	}
}, _i.prototype.N = function() {
	if (!(2 & this.f)) {
		this.f |= 6;
		for (var e = this.t; e !== void 0; e = e.x) e.t.N();
	}
}, Object.defineProperty(_i.prototype, "value", { get: function() {
	if (1 & this.f) throw Error("Cycle detected");
	var e = pi(this);
	if (this.h(), e !== void 0 && (e.i = this.i), 16 & this.f) throw this.v;
	return this.v;
} });
function vi(e, t) {
	return new _i(e, t);
}
function yi(e) {
	var t = e.j;
	if (e.j = void 0, typeof t == "function") {
		q++;
		var n = K;
		K = void 0;
		try {
			t();
		} catch (t) {
			throw e.f &= -2, e.f |= 8, bi(e), t;
		} finally {
			K = n, ri();
		}
	}
}
function bi(e) {
	for (var t = e.s; t !== void 0; t = t.n) t.S.U(t);
	e.x = void 0, e.s = void 0, yi(e);
}
function xi(e) {
	if (K !== this) throw Error("Out-of-order effect");
	gi(this), K = e, this.f &= -2;
	try {
		8 & this.f && bi(this);
	} finally {
		ri();
	}
}
function Si(e, t) {
	this.x = e, this.j = void 0, this.s = void 0, this.u = void 0, this.f = 32, this.name = t?.name, ai && ai.push(this);
}
Si.prototype.c = function() {
	var e = this.S();
	try {
		if (8 & this.f || this.x === void 0) return;
		var t = this.x();
		typeof t == "function" && (this.j = t);
	} finally {
		e();
	}
}, Si.prototype.S = function() {
	if (1 & this.f) throw Error("Cycle detected");
	this.f |= 1, this.f &= -9, yi(this), hi(this), q++;
	var e = K;
	return K = this, xi.bind(this, e);
}, Si.prototype.N = function() {
	2 & this.f || (this.f |= 2, this.u = si, si = this);
}, Si.prototype.d = function() {
	this.f |= 8, 1 & this.f || bi(this);
}, Si.prototype.dispose = function() {
	this.d();
};
function Ci(e, t) {
	var n = new Si(e, t);
	try {
		n.c();
	} catch (e) {
		throw n.d(), e;
	}
	var r = n.d.bind(n);
	return r[Symbol.dispose] = r, r;
}
// node_modules/@preact/signals/dist/signals.module.js
var wi, Ti, Ei = typeof window < "u" && !!window.__PREACT_SIGNALS_DEVTOOLS__, Di = [];
Ci(function() {
	wi = this.N;
})();
function Oi(t, n) {
	e[t] = n.bind(null, e[t] || function() {});
}
function ki(e) {
	if (Ti) {
		var t = Ti;
		Ti = void 0, t();
	}
	Ti = e && e.S();
}
function Ai(e) {
	var t = this, r = e.data, i = Mi(r);
	i.name = "ReactiveDom", i.value = r;
	var a = H(function() {
		for (var e = t, r = t.__v; r = r.__;) if (r.__c) {
			r.__c.__$f |= 4;
			break;
		}
		var a = vi(function() {
			var e = i.value.value;
			return e === 0 ? 0 : !0 === e ? "" : e || "";
		}), o = vi(function() {
			return !Array.isArray(a.value) && !n(a.value);
		}), s = Ci(function() {
			if (this.N = Fi, o.value) {
				var t = a.value;
				e.__v && e.__v.__e && e.__v.__e.nodeType === 3 && (e.__v.__e.data = t);
			}
		}), c = t.__$u.d;
		return t.__$u.d = function() {
			s(), c.call(this);
		}, [o, a];
	}, []), o = a[0], s = a[1];
	return o.value ? s.peek() : s.value;
}
Ai.displayName = "ReactiveTextNode", Object.defineProperties(J.prototype, {
	constructor: {
		configurable: !0,
		value: y(x, null).constructor
	},
	type: {
		configurable: !0,
		value: Ai
	},
	props: {
		configurable: !0,
		get: function() {
			var e = this;
			return { data: { get value() {
				return e.value;
			} } };
		}
	},
	__b: {
		configurable: !0,
		value: 1
	}
}), Oi("__b", function(e, t) {
	if (ki(), typeof t.type == "string") {
		var n, r = t.props;
		for (var i in r) if (i !== "children") {
			var a = r[i];
			a instanceof J && (n || (t.__np = n = {}), n[i] = a, r[i] = a.peek());
		}
	}
	e(t);
}), Oi("__r", function(e, t) {
	if (e(t), t.type !== x) {
		ki();
		var n, r = t.__c;
		r && (r.__$f &= -2, (n = r.__$u) === void 0 && (r.__$u = n = function(e, t) {
			var n;
			return Ci(function() {
				n = this;
			}, { name: t }), n.c = e, n;
		}(function(e) {
			return function() {
				var t;
				Ei && ((t = this.y) == null || t.call(this)), e.__$f |= 1, e.setState({});
			};
		}(r), typeof t.type == "function" ? t.type.displayName || t.type.name : ""))), ki(n);
	}
}), Oi("__e", function(e, t, n, r) {
	ki(), e(t, n, r);
}), Oi("diffed", function(e, t) {
	ki();
	var n;
	if (typeof t.type == "string" && (n = t.__e)) {
		var r = t.__np, i = t.props, a = n.U;
		if (a) for (var o in a) {
			var s = a[o];
			s === void 0 || r && o in r || (s.d(), a[o] = void 0);
		}
		if (r) for (var c in a || (a = {}, n.U = a), r) {
			var l = a[c], u = r[c];
			l === void 0 ? (l = ji(n, c, u, i), a[c] = l) : l.o(u, i);
		}
	}
	e(t);
});
function ji(e, t, n, r) {
	var i = t in e && e.ownerSVGElement === void 0, a = Y(n);
	return {
		o: function(e, t) {
			a.value = e, r = t;
		},
		d: Ci(function() {
			this.N = Fi;
			var n = a.value.value;
			r[t] !== n && (r[t] = n, i ? e[t] = n : n != null && (!1 !== n || t[4] === "-") ? e.setAttribute(t, n) : e.removeAttribute(t));
		})
	};
}
Oi("unmount", function(e, t) {
	if (typeof t.type == "string") {
		var n = t.__e;
		if (n) {
			var r = n.U;
			if (r) for (var i in n.U = void 0, r) {
				var a = r[i];
				a && a.d();
			}
		}
		var o = t.__np;
		if (o) {
			var s = t.props;
			for (var c in o) s[c] = o[c];
		}
		t.__np = void 0;
	} else {
		var l = t.__c;
		if (l) {
			l.__$f |= 8;
			var u = l.__$u;
			u && (l.__$u = void 0, u.d());
		}
	}
	e(t);
}), Oi("__h", function(e, t, n, r) {
	r < 3 && (t.__$f |= 2), e(t, n, r);
}), S.prototype.shouldComponentUpdate = function(e, t) {
	if (this.__R) return !0;
	var n = this.__$u, r = n && n.s !== void 0;
	for (var i in t) return !0;
	if (this.__f || typeof this.u == "boolean" && !0 === this.u) {
		var a = 2 & this.__$f;
		if (!(r || a || 4 & this.__$f) || 1 & this.__$f) return !0;
	} else if (!(r || 4 & this.__$f) || 3 & this.__$f) return !0;
	for (var o in e) if (o !== "__source" && e[o] !== this.props[o]) return !0;
	for (var s in this.props) if (!(s in e)) return !0;
	return !1;
};
function Mi(e, t) {
	return H(function() {
		return Y(e, t);
	}, []);
}
var Ni = function(e) {
	queueMicrotask(function() {
		queueMicrotask(e);
	});
};
function Pi() {
	ii(function() {
		for (var e; e = Di.shift();) wi.call(e);
	});
}
function Fi() {
	Di.push(this) === 1 && (e.requestAnimationFrame || Ni)(Pi);
}
// src/explore/model.ts
var Ii = 0;
function Li(e, t, n = {}) {
	return new Promise((r, i) => {
		let a = ++Ii, o = (t) => {
			t.id === a && (e.off("msg:custom", o), t.error === void 0 ? r(t.ok ?? {}) : i(Error(t.error)));
		};
		e.on("msg:custom", o), e.send({
			id: a,
			do: t,
			...n
		});
	});
}
function Ri(e) {
	let t = {
		...e,
		kind: "recording",
		error: "",
		numbers: {},
		presets: []
	}, n = /* @__PURE__ */ new Map();
	return {
		get: (e) => t[e],
		set: (e, r) => {
			t[e] = r;
			for (let t of n.get(`change:${e}`) ?? []) t();
		},
		save_changes: () => void 0,
		on: (e, t) => void n.set(e, (n.get(e) ?? /* @__PURE__ */ new Set()).add(t)),
		off: (e, t) => void (t && n.get(e)?.delete(t)),
		send: () => void 0
	};
}
function zi(e, t) {
	return e.steps.find((e) => e.phase === "backward" && e.node === t.to && e.operand === t.operand);
}
function Bi(e) {
	return typeof e == "object" && !!e;
}
// src/explore/figures.ts
function Vi(e, t = 4) {
	return Bi(e ?? void 0) ? `array ${e.shape.join("×")}` : typeof e == "string" && !/^(-?Infinity|NaN)$/.test(e) ? e : N(e, t);
}
function Hi(e, t, { progress: n, showGradients: r, questions: i }) {
	let a = Vr(null);
	a.current?.layout !== t && (a.current = {
		layout: t,
		figures: Ui(e, t)
	});
	let { figures: o } = a.current;
	return Br(() => ii(() => Wi(o, e, t, {
		progress: n,
		showGradients: r,
		questions: i
	})), [
		o,
		e,
		t,
		n,
		r,
		i
	]), o;
}
function Ui(e, t) {
	return {
		boxes: e.nodes.map(() => ({
			data: Y(""),
			grad: Y(""),
			gradClass: Y("grad"),
			barClass: Y("bar"),
			bar: Y(0),
			spoken: Y("")
		})),
		curves: t.edges.map(() => ({
			flow: Y(0),
			flowClass: Y("flow")
		}))
	};
}
function Wi({ boxes: e, curves: t }, n, r, { progress: i, showGradients: a, questions: o }) {
	let s = Gi(n);
	for (let t of n.nodes) {
		let { data: n, grad: c, gradClass: l, barClass: u, bar: d, spoken: f } = e[t.index], [p, m] = [i.known[t.index], o?.includes(t.name) ?? !1], h = m ? null : i.grads[t.index] ?? null, g = h === null || Bi(h) ? "" : me(h), _ = Ki(h, s);
		n.value = p ? Vi(t.data) : "·", c.value = m ? "?" : h === null ? "·" : Vi(h), l.value = `grad ${g}`, u.value = `bar ${g}`, d.value = _ > 0 ? Math.max(2, 2 * Math.round(_ * (r.box.width - 4) / 2)) : 0, f.value = qi(t, a ? h : null, p);
	}
	let c = /* @__PURE__ */ new Map();
	for (let e of n.steps) e.phase === "backward" && c.set(`${e.node}.${e.operand}`, e);
	r.edges.forEach((e, n) => {
		let r = `${e.to}.${e.operand}`, a = c.get(r), o = a !== void 0 && i.flows.has(r) && !Bi(a.contribution), l = o ? 1 + 7 * Math.sqrt(Ki(a.contribution, s)) : 0;
		t[n].flow.value = Math.round(2 * l) / 2, t[n].flowClass.value = o ? `flow ${me(a.contribution)}` : "flow";
	});
}
function Gi(e) {
	let t = e.nodes.map((e) => Bi(e.grad) ? 0 : Math.abs(Number(e.grad))).filter(Number.isFinite);
	return Math.max(1e-300, ...t);
}
function Ki(e, t) {
	let n = e === null || Bi(e ?? void 0) ? 0 : Math.min(1, Math.abs(Number(e)) / t);
	return Number.isFinite(n) ? n : 0;
}
function qi(e, t, n) {
	return `${e.formula ? `${e.name} = ${e.formula}` : `${e.name}, input`}; value ${n ? Vi(e.data) : "not computed yet"}${t === null ? "" : `, gradient ${Vi(t)}`}`;
}
// node_modules/@dagrejs/dagre/dist/dagre.esm.js
var Ji = Object.defineProperty, Yi = (e, t, n) => t in e ? Ji(e, t, {
	enumerable: !0,
	configurable: !0,
	writable: !0,
	value: n
}) : e[t] = n, Xi = (e, t) => {
	for (var n in t) Ji(e, n, {
		get: t[n],
		enumerable: !0
	});
}, Zi = (e, t, n) => Yi(e, typeof t == "symbol" ? t : t + "", n), Qi = {};
Xi(Qi, {
	Graph: () => X,
	alg: () => da
});
var $i = Object.defineProperty, ea = (e, t) => {
	for (var n in t) $i(e, n, {
		get: t[n],
		enumerable: !0
	});
}, ta = class {
	constructor(e) {
		this._isDirected = !0, this._isMultigraph = !1, this._isCompound = !1, this._nodes = {}, this._in = {}, this._preds = {}, this._out = {}, this._sucs = {}, this._edgeObjs = {}, this._edgeLabels = {}, this._nodeCount = 0, this._edgeCount = 0, this._defaultNodeLabelFn = () => {}, this._defaultEdgeLabelFn = () => {}, e && (this._isDirected = "directed" in e ? e.directed : !0, this._isMultigraph = "multigraph" in e && e.multigraph, this._isCompound = "compound" in e && e.compound), this._isCompound && (this._parent = {}, this._children = {}, this._children["\0"] = {});
	}
	isDirected() {
		return this._isDirected;
	}
	isMultigraph() {
		return this._isMultigraph;
	}
	isCompound() {
		return this._isCompound;
	}
	setGraph(e) {
		return this._label = e, this;
	}
	graph() {
		return this._label;
	}
	setDefaultNodeLabel(e) {
		return this._defaultNodeLabelFn = typeof e == "function" ? e : () => e, this;
	}
	nodeCount() {
		return this._nodeCount;
	}
	nodes() {
		return Object.keys(this._nodes);
	}
	sources() {
		return this.nodes().filter((e) => Object.keys(this._in[e]).length === 0);
	}
	sinks() {
		return this.nodes().filter((e) => Object.keys(this._out[e]).length === 0);
	}
	setNodes(e, t) {
		return e.forEach((e) => {
			t === void 0 ? this.setNode(e) : this.setNode(e, t);
		}), this;
	}
	setNode(e, t) {
		return e in this._nodes ? (arguments.length > 1 && (this._nodes[e] = t), this) : (this._nodes[e] = arguments.length > 1 ? t : this._defaultNodeLabelFn(e), this._isCompound && (this._parent[e] = "\0", this._children[e] = {}, this._children["\0"][e] = !0), this._in[e] = {}, this._preds[e] = {}, this._out[e] = {}, this._sucs[e] = {}, ++this._nodeCount, this);
	}
	node(e) {
		return this._nodes[e];
	}
	hasNode(e) {
		return e in this._nodes;
	}
	removeNode(e) {
		if (e in this._nodes) {
			let t = (e) => this.removeEdge(this._edgeObjs[e]);
			delete this._nodes[e], this._isCompound && (this._removeFromParentsChildList(e), delete this._parent[e], this.children(e).forEach((e) => {
				this.setParent(e);
			}), delete this._children[e]), Object.keys(this._in[e]).forEach(t), delete this._in[e], delete this._preds[e], Object.keys(this._out[e]).forEach(t), delete this._out[e], delete this._sucs[e], --this._nodeCount;
		}
		return this;
	}
	setParent(e, t) {
		if (!this._isCompound) throw Error("Cannot set parent in a non-compound graph");
		if (t === void 0) t = "\0";
		else {
			t += "";
			for (let n = t; n !== void 0; n = this.parent(n)) if (n === e) throw Error("Setting " + t + " as parent of " + e + " would create a cycle");
			this.setNode(t);
		}
		return this.setNode(e), this._removeFromParentsChildList(e), this._parent[e] = t, this._children[t][e] = !0, this;
	}
	parent(e) {
		if (this._isCompound) {
			let t = this._parent[e];
			if (t !== "\0") return t;
		}
	}
	children(e = "\0") {
		if (this._isCompound) {
			let t = this._children[e];
			if (t) return Object.keys(t);
		} else {
			if (e === "\0") return this.nodes();
			if (this.hasNode(e)) return [];
		}
		return [];
	}
	predecessors(e) {
		let t = this._preds[e];
		if (t) return Object.keys(t);
	}
	successors(e) {
		let t = this._sucs[e];
		if (t) return Object.keys(t);
	}
	neighbors(e) {
		let t = this.predecessors(e);
		if (t) {
			let n = new Set(t), r = this.successors(e);
			if (r) for (let e of r) n.add(e);
			return Array.from(n.values());
		}
	}
	isLeaf(e) {
		let t;
		return t = this.isDirected() ? this.successors(e) : this.neighbors(e), (t?.length ?? 0) === 0;
	}
	filterNodes(e) {
		let t = new this.constructor({
			directed: this._isDirected,
			multigraph: this._isMultigraph,
			compound: this._isCompound
		});
		t.setGraph(this.graph()), Object.entries(this._nodes).forEach(([n, r]) => {
			e(n) && t.setNode(n, r);
		}), Object.values(this._edgeObjs).forEach((e) => {
			t.hasNode(e.v) && t.hasNode(e.w) && t.setEdge(e, this.edge(e));
		});
		let n = {}, r = (e) => {
			let i = this.parent(e);
			return !i || t.hasNode(i) ? (n[e] = i, i) : i in n ? n[i] : r(i);
		};
		return this._isCompound && t.nodes().forEach((e) => t.setParent(e, r(e))), t;
	}
	setDefaultEdgeLabel(e) {
		return this._defaultEdgeLabelFn = typeof e == "function" ? e : () => e, this;
	}
	edgeCount() {
		return this._edgeCount;
	}
	edges() {
		return Object.values(this._edgeObjs);
	}
	setPath(e, t) {
		return e.reduce((e, n) => (t === void 0 ? this.setEdge(e, n) : this.setEdge(e, n, t), n)), this;
	}
	setEdge(e, t, n, r) {
		let i, a, o, s, c = !1;
		typeof e == "object" && e && "v" in e ? (i = e.v, a = e.w, o = e.name, arguments.length === 2 && (s = t, c = !0)) : (i = e, a = t, o = r, arguments.length > 2 && (s = n, c = !0)), i = "" + i, a = "" + a, o !== void 0 && (o = "" + o);
		let l = ia(this._isDirected, i, a, o);
		if (l in this._edgeLabels) return c && (this._edgeLabels[l] = s), this;
		if (o !== void 0 && !this._isMultigraph) throw Error("Cannot set a named edge when isMultigraph = false");
		this.setNode(i), this.setNode(a), this._edgeLabels[l] = c ? s : this._defaultEdgeLabelFn(i, a, o);
		let u = aa(this._isDirected, i, a, o);
		return i = u.v, a = u.w, Object.freeze(u), this._edgeObjs[l] = u, na(this._preds[a], i), na(this._sucs[i], a), this._in[a][l] = u, this._out[i][l] = u, this._edgeCount++, this;
	}
	edge(e, t, n) {
		let r = arguments.length === 1 ? oa(this._isDirected, e) : ia(this._isDirected, e, t, n);
		return this._edgeLabels[r];
	}
	edgeAsObj(e, t, n) {
		let r = arguments.length === 1 ? this.edge(e) : this.edge(e, t, n);
		return typeof r != "object" || !r ? { label: r } : r;
	}
	hasEdge(e, t, n) {
		return (arguments.length === 1 ? oa(this._isDirected, e) : ia(this._isDirected, e, t, n)) in this._edgeLabels;
	}
	removeEdge(e, t, n) {
		let r = arguments.length === 1 ? oa(this._isDirected, e) : ia(this._isDirected, e, t, n), i = this._edgeObjs[r];
		if (i) {
			let e = i.v, t = i.w;
			delete this._edgeLabels[r], delete this._edgeObjs[r], ra(this._preds[t], e), ra(this._sucs[e], t), delete this._in[t][r], delete this._out[e][r], this._edgeCount--;
		}
		return this;
	}
	inEdges(e, t) {
		return this.isDirected() ? this.filterEdges(this._in[e], e, t) : this.nodeEdges(e, t);
	}
	outEdges(e, t) {
		return this.isDirected() ? this.filterEdges(this._out[e], e, t) : this.nodeEdges(e, t);
	}
	nodeEdges(e, t) {
		if (e in this._nodes) return this.filterEdges({
			...this._in[e],
			...this._out[e]
		}, e, t);
	}
	_removeFromParentsChildList(e) {
		delete this._children[this._parent[e]][e];
	}
	filterEdges(e, t, n) {
		if (!e) return;
		let r = Object.values(e);
		return n ? r.filter((e) => e.v === t && e.w === n || e.v === n && e.w === t) : r;
	}
};
function na(e, t) {
	e[t] ? e[t]++ : e[t] = 1;
}
function ra(e, t) {
	e[t] !== void 0 && !--e[t] && delete e[t];
}
function ia(e, t, n, r) {
	let i = "" + t, a = "" + n;
	if (!e && i > a) {
		let e = i;
		i = a, a = e;
	}
	return i + "" + a + "" + (r === void 0 ? "\0" : r);
}
function aa(e, t, n, r) {
	let i = "" + t, a = "" + n;
	if (!e && i > a) {
		let e = i;
		i = a, a = e;
	}
	let o = {
		v: i,
		w: a
	};
	return r && (o.name = r), o;
}
function oa(e, t) {
	return ia(e, t.v, t.w, t.name);
}
ea({}, {
	read: () => ua,
	write: () => sa
});
function sa(e) {
	let t = {
		options: {
			directed: e.isDirected(),
			multigraph: e.isMultigraph(),
			compound: e.isCompound()
		},
		nodes: ca(e),
		edges: la(e)
	}, n = e.graph();
	return n !== void 0 && (t.value = structuredClone(n)), t;
}
function ca(e) {
	return e.nodes().map((t) => {
		let n = e.node(t), r = e.parent(t), i = { v: t };
		return n !== void 0 && (i.value = n), r !== void 0 && (i.parent = r), i;
	});
}
function la(e) {
	return e.edges().map((t) => {
		let n = e.edge(t), r = {
			v: t.v,
			w: t.w
		};
		return t.name !== void 0 && (r.name = t.name), n !== void 0 && (r.value = n), r;
	});
}
function ua(e) {
	let t = new ta(e.options);
	return e.value !== void 0 && t.setGraph(e.value), e.nodes.forEach((e) => {
		t.setNode(e.v, e.value), e.parent && t.setParent(e.v, e.parent);
	}), e.edges.forEach((e) => {
		t.setEdge({
			v: e.v,
			w: e.w,
			name: e.name
		}, e.value);
	}), t;
}
var da = {};
ea(da, {
	CycleException: () => Ea,
	bellmanFord: () => pa,
	components: () => ha,
	dijkstra: () => va,
	dijkstraAll: () => ba,
	findCycles: () => Sa,
	floydWarshall: () => wa,
	isAcyclic: () => Oa,
	postorder: () => Ma,
	preorder: () => Na,
	prim: () => Pa,
	shortestPaths: () => Fa,
	tarjan: () => xa,
	topsort: () => Da
});
var fa = () => 1;
function pa(e, t, n, r) {
	return ma(e, String(t), n || fa, r || function(t) {
		return e.outEdges(t) ?? [];
	});
}
function ma(e, t, n, r) {
	let i = {}, a, o = 0, s = e.nodes(), c = function(e) {
		let t = i[e.v], r = i[e.w];
		if (!t || !r) return;
		let o = n(e);
		t.distance + o < r.distance && (i[e.w] = {
			distance: t.distance + o,
			predecessor: e.v
		}, a = !0);
	}, l = function() {
		s.forEach(function(e) {
			r(e).forEach(function(t) {
				let n = t.v === e ? t.v : t.w, r = n === t.v ? t.w : t.v;
				c({
					v: n,
					w: r
				});
			});
		});
	};
	s.forEach(function(e) {
		i[e] = {
			distance: e === t ? 0 : Infinity,
			predecessor: ""
		};
	});
	let u = s.length;
	for (let e = 1; e < u && (a = !1, o++, l(), a); e++);
	if (o === u - 1 && (a = !1, l(), a)) throw Error("The graph contains a negative weight cycle");
	return i;
}
function ha(e) {
	let t = {}, n = [], r;
	function i(n) {
		var a, o;
		n in t || (t[n] = !0, r.push(n), (a = e.successors(n)) == null || a.forEach(i), (o = e.predecessors(n)) == null || o.forEach(i));
	}
	return e.nodes().forEach(function(e) {
		r = [], i(e), r.length && n.push(r);
	}), n;
}
var ga = class {
	constructor() {
		this._arr = [], this._keyIndices = {};
	}
	size() {
		return this._arr.length;
	}
	keys() {
		return this._arr.map((e) => e.key);
	}
	has(e) {
		return e in this._keyIndices;
	}
	priority(e) {
		let t = this._keyIndices[e];
		if (t !== void 0) return this._arr[t].priority;
	}
	min() {
		if (this.size() === 0) throw Error("Queue underflow");
		return this._arr[0].key;
	}
	add(e, t) {
		let n = this._keyIndices, r = String(e);
		if (!(r in n)) {
			let e = this._arr, i = e.length;
			return n[r] = i, e.push({
				key: r,
				priority: t
			}), this._decrease(i), !0;
		}
		return !1;
	}
	removeMin() {
		if (this.size() === 0) throw Error("Queue underflow");
		this._swap(0, this._arr.length - 1);
		let e = this._arr.pop();
		return delete this._keyIndices[e.key], this._heapify(0), e.key;
	}
	decrease(e, t) {
		let n = this._keyIndices[e];
		if (n === void 0) throw Error(`Key not found: ${e}`);
		let r = this._arr[n].priority;
		if (t > r) throw Error(`New priority is greater than current priority. Key: ${e} Old: ${r} New: ${t}`);
		this._arr[n].priority = t, this._decrease(n);
	}
	_heapify(e) {
		let t = this._arr, n = 2 * e, r = n + 1, i = e;
		n < t.length && (i = t[n].priority < t[i].priority ? n : i, r < t.length && (i = t[r].priority < t[i].priority ? r : i), i !== e && (this._swap(e, i), this._heapify(i)));
	}
	_decrease(e) {
		let t = this._arr, n = t[e].priority, r;
		for (; e !== 0 && (r = e >> 1, !(t[r].priority < n));) this._swap(e, r), e = r;
	}
	_swap(e, t) {
		let n = this._arr, r = this._keyIndices, i = n[e], a = n[t];
		n[e] = a, n[t] = i, r[a.key] = e, r[i.key] = t;
	}
}, _a = () => 1;
function va(e, t, n, r) {
	return ya(e, String(t), n || _a, r || function(t) {
		return e.outEdges(t) ?? [];
	});
}
function ya(e, t, n, r) {
	let i = {}, a = new ga(), o, s, c = function(e) {
		let t = e.v === o ? e.w : e.v, r = i[t];
		if (!r) return;
		let c = n(e), l = s.distance + c;
		if (c < 0) throw Error("dijkstra does not allow negative edge weights. Bad edge: " + e + " Weight: " + c);
		l < r.distance && (r.distance = l, r.predecessor = o, a.decrease(t, l));
	};
	for (e.nodes().forEach(function(e) {
		let n = e === t ? 0 : Infinity;
		i[e] = {
			distance: n,
			predecessor: ""
		}, a.add(e, n);
	}); a.size() > 0;) {
		o = a.removeMin();
		let e = i[o];
		if (!e || e.distance === Infinity) break;
		s = e, r(o).forEach(c);
	}
	return i;
}
function ba(e, t, n) {
	return e.nodes().reduce(function(r, i) {
		return r[i] = va(e, i, t, n), r;
	}, {});
}
function xa(e) {
	let t = 0, n = [], r = {}, i = [];
	function a(o) {
		var s;
		let c = r[o] = {
			onStack: !0,
			lowlink: t,
			index: t++
		};
		if (n.push(o), (s = e.successors(o)) == null || s.forEach(function(e) {
			if (e in r) {
				let t = r[e];
				t != null && t.onStack && (c.lowlink = Math.min(c.lowlink, t.index));
			} else {
				a(e);
				let t = r[e];
				t && (c.lowlink = Math.min(c.lowlink, t.lowlink));
			}
		}), c.lowlink === c.index) {
			let e = [], t;
			do {
				t = n.pop();
				let i = r[t];
				i && (i.onStack = !1), e.push(t);
			} while (o !== t);
			i.push(e);
		}
	}
	return e.nodes().forEach(function(e) {
		e in r || a(e);
	}), i;
}
function Sa(e) {
	return xa(e).filter(function(t) {
		let n = t[0];
		return n ? t.length > 1 || t.length === 1 && (e.outEdges(n, n) ?? []).length > 0 : !1;
	});
}
var Ca = () => 1;
function wa(e, t, n) {
	return Ta(e, t || Ca, n || function(t) {
		return e.outEdges(t) ?? [];
	});
}
function Ta(e, t, n) {
	let r = {}, i = e.nodes();
	return i.forEach(function(e) {
		let a = {};
		r[e] = a, a[e] = {
			distance: 0,
			predecessor: ""
		}, i.forEach(function(t) {
			e !== t && (a[t] = {
				distance: Infinity,
				predecessor: ""
			});
		}), n(e).forEach(function(n) {
			let r = n.v === e ? n.w : n.v, i = t(n);
			a[r] = {
				distance: i,
				predecessor: e
			};
		});
	}), i.forEach(function(e) {
		let t = r[e];
		t && i.forEach(function(n) {
			let a = r[n];
			a && i.forEach(function(n) {
				let r = a[e], i = t[n], o = a[n];
				if (r && i && o) {
					let e = r.distance + i.distance;
					e < o.distance && (o.distance = e, o.predecessor = i.predecessor);
				}
			});
		});
	}), r;
}
var Ea = class extends Error {
	constructor(e) {
		super(e), this.name = "CycleException";
	}
};
function Da(e) {
	let t = {}, n = {}, r = [];
	function i(a) {
		var o;
		if (a in n) throw new Ea();
		a in t || (n[a] = !0, t[a] = !0, (o = e.predecessors(a)) == null || o.forEach(i), delete n[a], r.push(a));
	}
	if (e.sinks().forEach(i), Object.keys(t).length !== e.nodeCount()) throw new Ea();
	return r;
}
function Oa(e) {
	try {
		Da(e);
	} catch (e) {
		if (e instanceof Ea) return !1;
		throw e;
	}
	return !0;
}
function ka(e, t, n, r, i) {
	Array.isArray(t) || (t = [t]);
	let a = ((t) => (e.isDirected() ? e.successors(t) : e.neighbors(t)) ?? []), o = {};
	return t.forEach(function(t) {
		if (!e.hasNode(t)) throw Error("Graph does not have node: " + t);
		i = Aa(e, t, n === "post", o, a, r, i);
	}), i;
}
function Aa(e, t, n, r, i, a, o) {
	return t in r || (r[t] = !0, n || (o = a(o, t)), i(t).forEach(function(t) {
		o = Aa(e, t, n, r, i, a, o);
	}), n && (o = a(o, t))), o;
}
function ja(e, t, n) {
	return ka(e, t, n, function(e, t) {
		return e.push(t), e;
	}, []);
}
function Ma(e, t) {
	return ja(e, t, "post");
}
function Na(e, t) {
	return ja(e, t, "pre");
}
function Pa(e, t) {
	var n;
	let r = new ta(), i = {}, a = new ga(), o;
	function s(e) {
		let n = e.v === o ? e.w : e.v, r = a.priority(n);
		if (r !== void 0) {
			let s = t(e);
			s < r && (i[n] = o, a.decrease(n, s));
		}
	}
	if (e.nodeCount() === 0) return r;
	e.nodes().forEach(function(e) {
		a.add(e, Infinity), r.setNode(e);
	});
	let c = e.nodes()[0];
	c !== void 0 && a.decrease(c, 0);
	let l = !1;
	for (; a.size() > 0;) {
		if (o = a.removeMin(), o in i) r.setEdge(o, i[o]);
		else {
			if (l) throw Error("Input graph is not connected: " + e);
			l = !0;
		}
		(n = e.nodeEdges(o)) == null || n.forEach(s);
	}
	return r;
}
function Fa(e, t, n, r) {
	return Ia(e, t, n, r ?? ((t) => e.outEdges(t) ?? []));
}
function Ia(e, t, n, r) {
	if (n === void 0) return va(e, t, n, r);
	let i = !1, a = e.nodes();
	for (let o = 0; o < a.length; o++) {
		let s = a[o];
		if (s === void 0) continue;
		let c = r(s);
		for (let e = 0; e < c.length; e++) {
			let t = c[e];
			if (!t) continue;
			let r = t.v === s ? t.v : t.w;
			n({
				v: r,
				w: r === t.v ? t.w : t.v
			}) < 0 && (i = !0);
		}
		if (i) return pa(e, t, n, r);
	}
	return va(e, t, n, r);
}
var X = ta;
function La(e, t, n, r) {
	let i = r;
	for (; e.hasNode(i);) i = Za(r);
	return n.dummy = t, e.setNode(i, n), i;
}
function Ra(e) {
	let t = new X().setGraph(e.graph());
	return e.nodes().forEach((n) => t.setNode(n, e.node(n))), e.edges().forEach((n) => {
		let r = t.edge(n.v, n.w) || {
			weight: 0,
			minlen: 1
		}, i = e.edge(n);
		t.setEdge(n.v, n.w, {
			weight: r.weight + i.weight,
			minlen: Math.max(r.minlen, i.minlen)
		});
	}), t;
}
function za(e) {
	let t = new X({ multigraph: e.isMultigraph() }).setGraph(e.graph());
	return e.nodes().forEach((n) => {
		e.children(n).length || t.setNode(n, e.node(n));
	}), e.edges().forEach((n) => {
		t.setEdge(n, e.edge(n));
	}), t;
}
function Ba(e, t) {
	let n = e.x, r = e.y, i = t.x - n, a = t.y - r, o = e.width / 2, s = e.height / 2;
	if (!i && !a) throw Error("Not possible to find intersection inside of the rectangle");
	let c, l;
	return Math.abs(a) * o > Math.abs(i) * s ? (a < 0 && (s = -s), c = s * i / a, l = s) : (i < 0 && (o = -o), c = o, l = o * a / i), {
		x: n + c,
		y: r + l
	};
}
function Va(e) {
	let t = Qa(qa(e) + 1).map(() => []);
	return e.nodes().forEach((n) => {
		let r = e.node(n), i = r.rank;
		i !== void 0 && (t[i] || (t[i] = []), t[i][r.order] = n);
	}), t;
}
function Ha(e) {
	let t = e.nodes().map((t) => {
		let n = e.node(t).rank;
		return n === void 0 ? Number.MAX_VALUE : n;
	}), n = Z(Math.min, t);
	e.nodes().forEach((t) => {
		let r = e.node(t);
		Object.hasOwn(r, "rank") && (r.rank -= n);
	});
}
function Ua(e) {
	let t = e.nodes().map((t) => e.node(t).rank).filter((e) => e !== void 0), n = Z(Math.min, t), r = [];
	e.nodes().forEach((t) => {
		let i = e.node(t).rank - n;
		r[i] || (r[i] = []), r[i].push(t);
	});
	let i = 0, a = e.graph().nodeRankFactor;
	Array.from(r).forEach((t, n) => {
		t === void 0 && n % a !== 0 ? --i : t !== void 0 && i && t.forEach((t) => e.node(t).rank += i);
	});
}
function Wa(e, t, n, r) {
	let i = {
		width: 0,
		height: 0
	};
	return arguments.length >= 4 && (i.rank = n, i.order = r), La(e, "border", i, t);
}
function Ga(e, t = Ka) {
	let n = [];
	for (let r = 0; r < e.length; r += t) {
		let i = e.slice(r, r + t);
		n.push(i);
	}
	return n;
}
var Ka = 65535;
function Z(e, t) {
	return t.length > Ka ? e(...Ga(t).map((t) => e(...t))) : e(...t);
}
function qa(e) {
	let t = e.nodes().map((t) => {
		let n = e.node(t).rank;
		return n === void 0 ? Number.MIN_VALUE : n;
	});
	return Z(Math.max, t);
}
function Ja(e, t) {
	let n = {
		lhs: [],
		rhs: []
	};
	return e.forEach((e) => {
		t(e) ? n.lhs.push(e) : n.rhs.push(e);
	}), n;
}
function Ya(e, t) {
	return t();
}
var Xa = 0;
function Za(e) {
	return e + ("" + ++Xa);
}
function Qa(e, t, n = 1) {
	t ?? (t = e, e = 0);
	let r = (e) => e < t;
	n < 0 && (r = (e) => t < e);
	let i = [];
	for (let t = e; r(t); t += n) i.push(t);
	return i;
}
function $a(e, t) {
	let n = {};
	for (let r of t) e[r] !== void 0 && (n[r] = e[r]);
	return n;
}
function eo(e, t) {
	let n;
	return n = typeof t == "string" ? (e) => e[t] : t, Object.entries(e).reduce((e, [t, r]) => (e[t] = n(r, t), e), {});
}
function to(e, t) {
	return e.reduce((e, n, r) => (e[n] = t[r], e), {});
}
var no = "\0";
function ro(e, t, n) {
	if (!(e && t && n && t.dummy === "edge" && n.dummy === "edge" && t.edgeObj && n.edgeObj && e[t.edgeObj.v] && e[n.edgeObj.v] && e[t.edgeObj.w] && e[n.edgeObj.w])) return 0;
	let r = !0;
	t.edgeObj.w === n.edgeObj.w && (r = !1);
	let i = r ? e[t.edgeObj.v]?.rank ?? NaN : e[t.edgeObj.w]?.rank ?? NaN, a = Object.entries(e).find((e) => e[1].edgeObj?.v === t.edgeObj.v && e[1].edgeObj?.w === t.edgeObj.w && e[1].rank === i), o = Object.entries(e).find((e) => e[1].edgeObj?.v === n.edgeObj.v && e[1].edgeObj?.w === n.edgeObj.w && e[1].rank === i);
	if (!a || !o) return 0;
	let s = a[1].order ?? NaN, c = o[1].order ?? NaN;
	return isNaN(s - c) ? 0 : s - c;
}
var io = class {
	constructor() {
		Zi(this, "_sentinel");
		let e = {};
		e._next = e._prev = e, this._sentinel = e;
	}
	dequeue() {
		let e = this._sentinel, t = e._prev;
		if (t !== e) return ao(t), t;
	}
	enqueue(e) {
		let t = this._sentinel;
		e._prev && e._next && ao(e), e._next = t._next, t._next._prev = e, t._next = e, e._prev = t;
	}
	toString() {
		let e = [], t = this._sentinel, n = t._prev;
		for (; n !== t;) e.push(JSON.stringify(n, oo)), n = n._prev;
		return "[" + e.join(", ") + "]";
	}
};
function ao(e) {
	e._prev._next = e._next, e._next._prev = e._prev, delete e._next, delete e._prev;
}
function oo(e, t) {
	if (e !== "_next" && e !== "_prev") return t;
}
var so = io, co = () => 1;
function lo(e, t) {
	if (e.nodeCount() <= 1) return [];
	let n = po(e, t || co);
	return uo(n.graph, n.buckets, n.zeroIdx).flatMap((t) => e.outEdges(t.v, t.w) || []);
}
function uo(e, t, n) {
	let r = [], i = t[t.length - 1], a = t[0], o;
	for (; e.nodeCount();) {
		for (; o = a.dequeue();) fo(e, t, n, o);
		for (; o = i.dequeue();) fo(e, t, n, o);
		if (e.nodeCount()) {
			for (let i = t.length - 2; i > 0; --i) if (o = t[i]?.dequeue(), o) {
				r = r.concat(fo(e, t, n, o, !0) || []);
				break;
			}
		}
	}
	return r;
}
function fo(e, t, n, r, i) {
	let a = [], o = i ? a : void 0;
	return (e.inEdges(r.v) || []).forEach((r) => {
		let o = e.edge(r), s = e.node(r.v);
		i && a.push({
			v: r.v,
			w: r.w
		}), s.out -= o, mo(t, n, s);
	}), (e.outEdges(r.v) || []).forEach((r) => {
		let i = e.edge(r), a = r.w, o = e.node(a);
		o.in -= i, mo(t, n, o);
	}), e.removeNode(r.v), o;
}
function po(e, t) {
	let n = new X(), r = 0, i = 0;
	e.nodes().forEach((e) => {
		n.setNode(e, {
			v: e,
			in: 0,
			out: 0
		});
	}), e.edges().forEach((e) => {
		let a = n.edge(e.v, e.w) || 0, o = t(e), s = a + o;
		n.setEdge(e.v, e.w, s);
		let c = n.node(e.v), l = n.node(e.w);
		i = Math.max(i, c.out += o), r = Math.max(r, l.in += o);
	});
	let a = ho(i + r + 3).map(() => new so()), o = r + 1;
	return n.nodes().forEach((e) => {
		mo(a, o, n.node(e));
	}), {
		graph: n,
		buckets: a,
		zeroIdx: o
	};
}
function mo(e, t, n) {
	var r, i, a;
	n.out ? n.in ? (a = e[n.out - n.in + t]) == null || a.enqueue(n) : (i = e[e.length - 1]) == null || i.enqueue(n) : (r = e[0]) == null || r.enqueue(n);
}
function ho(e) {
	let t = [];
	for (let n = 0; n < e; n++) t.push(n);
	return t;
}
function go(e, t) {
	(e.graph().acyclicer === "greedy" ? lo(e, n(e)) : _o(e, t ?? null)).forEach((t) => {
		let n = e.edge(t);
		e.removeEdge(t), n.forwardName = t.name, n.reversed = !0, e.setEdge(t.w, t.v, n, Za("rev"));
	});
	function n(e) {
		return (t) => e.edge(t).weight;
	}
}
function _o(e, t) {
	let n = [], r = {}, i = {};
	function a(t) {
		Object.hasOwn(i, t) || (i[t] = !0, r[t] = !0, e.outEdges(t).forEach((e) => {
			Object.hasOwn(r, e.w) ? n.push(e) : a(e.w);
		}), delete r[t]);
	}
	function o(a) {
		var s;
		Object.hasOwn(i, a) || (i[a] = !0, r[a] = !0, (s = e.outEdges(a)) == null || s.forEach((i) => {
			Object.hasOwn(r, i.w) || t.node(a)?.rank > t.node(i.w)?.rank && yo(e, i.w, i) ? n.push(i) : o(i.w);
		}), delete r[a]);
	}
	let s = a;
	return t && typeof t.node == "function" && (s = o), e.sources().forEach(s), e.nodes().forEach(s), n;
}
function vo(e) {
	e.edges().forEach((t) => {
		let n = e.edge(t);
		if (n.reversed) {
			e.removeEdge(t);
			let r = n.forwardName;
			delete n.reversed, delete n.forwardName, e.setEdge(t.w, t.v, n, r);
		}
	});
}
function yo(e, t, n) {
	let r = /* @__PURE__ */ new Set();
	function i(t) {
		if (e.sources().includes(t)) return !0;
		r.add(t);
		for (let a of e.inEdges(t) ?? []) if ((a.v !== n.v || a.w !== n.w) && !r.has(a.v) && i(a.v)) return !0;
		return !1;
	}
	return i(t);
}
function bo(e) {
	e.graph().dummyChains = [], e.edges().forEach((t) => xo(e, t));
}
function xo(e, t) {
	let n = t.v, r = e.node(n).rank, i = t.w, a = e.node(i).rank, o = t.name, s = e.edge(t), c = s.labelRank;
	if (a === r + 1) return;
	e.removeEdge(t);
	let l, u, d = 0;
	for (++r; r < a; ++d, ++r) s.points = [], u = {
		width: 0,
		height: 0,
		edgeLabel: s,
		edgeObj: t,
		rank: r
	}, l = La(e, "edge", u, "_d"), r === c && (u.width = s.width, u.height = s.height, u.dummy = "edge-label", u.labelpos = s.labelpos), e.setEdge(n, l, { weight: s.weight }, o), d === 0 && e.graph().dummyChains.push(l), n = l;
	e.setEdge(n, i, { weight: s.weight }, o);
}
function So(e) {
	e.graph().dummyChains.forEach((t) => {
		let n = e.node(t), r = n.edgeLabel, i;
		for (e.setEdge(n.edgeObj, r); n.dummy;) i = e.successors(t)[0], e.removeNode(t), r.points.push({
			x: n.x,
			y: n.y
		}), n.dummy === "edge-label" && (r.x = n.x, r.y = n.y, r.width = n.width, r.height = n.height), t = i, n = e.node(t);
	});
}
function Co(e) {
	let t = {};
	function n(r) {
		let i = e.node(r);
		if (Object.hasOwn(t, r)) return i.rank;
		t[r] = !0;
		let a = e.outEdges(r), o = a ? a.map((t) => t == null ? Infinity : n(t.w) - e.edge(t).minlen) : [], s = Z(Math.min, o);
		return s === Infinity && (s = 0), i.rank = s;
	}
	e.sources().forEach(n);
}
function wo(e, t) {
	return e.node(t.w).rank - e.node(t.v).rank - e.edge(t).minlen;
}
var To = Eo;
function Eo(e) {
	let t = new X({ directed: !1 }), n = e.nodes();
	if (n.length === 0) throw Error("Graph must have at least one node");
	let r = n[0], i = e.nodeCount();
	t.setNode(r, {});
	let a, o;
	for (; Do(t, e) < i && (a = Oo(t, e), a);) o = t.hasNode(a.v) ? wo(e, a) : -wo(e, a), ko(t, e, o);
	return t;
}
function Do(e, t) {
	function n(r) {
		let i = t.nodeEdges(r);
		i && i.forEach((i) => {
			let a = i.v, o = r === a ? i.w : a;
			!e.hasNode(o) && !wo(t, i) && (e.setNode(o, {}), e.setEdge(r, o, {}), n(o));
		});
	}
	return e.nodes().forEach(n), e.nodeCount();
}
function Oo(e, t) {
	return t.edges().reduce((n, r) => {
		let i = Infinity;
		return e.hasNode(r.v) !== e.hasNode(r.w) && (i = wo(t, r)), i < n[0] ? [i, r] : n;
	}, [Infinity, null])[1];
}
function ko(e, t, n) {
	e.nodes().forEach((e) => t.node(e).rank += n);
}
var { preorder: Ao, postorder: jo } = da, Mo = No;
No.initLowLimValues = Lo, No.initCutValues = Po, No.calcCutValue = Io, No.leaveEdge = zo, No.enterEdge = Bo, No.exchangeEdges = Vo;
function No(e) {
	e = Ra(e), Co(e);
	let t = To(e);
	Lo(t), Po(t, e);
	let n, r;
	for (; n = zo(t);) r = Bo(t, e, n), Vo(t, e, n, r);
}
function Po(e, t) {
	let n = jo(e, e.nodes());
	n = n.slice(0, n.length - 1), n.forEach((n) => Fo(e, t, n));
}
function Fo(e, t, n) {
	let r = e.node(n).parent, i = e.edge(n, r);
	i.cutvalue = Io(e, t, n);
}
function Io(e, t, n) {
	let r = e.node(n).parent, i = !0, a = t.edge(n, r), o = 0;
	a ||= (i = !1, t.edge(r, n)), o = a.weight;
	let s = t.nodeEdges(n);
	return s && s.forEach((a) => {
		let s = a.v === n, c = s ? a.w : a.v;
		if (c !== r) {
			let r = s === i, l = t.edge(a).weight;
			if (o += r ? l : -l, Uo(e, n, c)) {
				let t = e.edge(n, c).cutvalue;
				o += r ? -t : t;
			}
		}
	}), o;
}
function Lo(e, t) {
	arguments.length < 2 && (t = e.nodes()[0]), Ro(e, {}, 1, t);
}
function Ro(e, t, n, r, i) {
	let a = n, o = e.node(r);
	t[r] = !0;
	let s = e.neighbors(r);
	return s && s.forEach((i) => {
		Object.hasOwn(t, i) || (n = Ro(e, t, n, i, r));
	}), o.low = a, o.lim = n++, i ? o.parent = i : delete o.parent, n;
}
function zo(e) {
	return e.edges().find((t) => e.edge(t).cutvalue < 0);
}
function Bo(e, t, n) {
	let r = n.v, i = n.w;
	t.hasEdge(r, i) || (r = n.w, i = n.v);
	let a = e.node(r), o = e.node(i), s = a, c = !1;
	return a.lim > o.lim && (s = o, c = !0), t.edges().filter((t) => c === Wo(e, e.node(t.v), s) && c !== Wo(e, e.node(t.w), s)).reduce((e, n) => wo(t, n) < wo(t, e) ? n : e);
}
function Vo(e, t, n, r) {
	let i = n.v, a = n.w;
	e.removeEdge(i, a), e.setEdge(r.v, r.w, {}), Lo(e), Po(e, t), Ho(e, t);
}
function Ho(e, t) {
	let n = e.nodes().find((t) => !e.node(t).parent);
	if (!n) return;
	let r = Ao(e, [n]);
	r = r.slice(1), r.forEach((n) => {
		let r = e.node(n).parent, i = t.edge(n, r), a = !1;
		i || (i = t.edge(r, n), a = !0), t.node(n).rank = t.node(r).rank + (a ? i.minlen : -i.minlen);
	});
}
function Uo(e, t, n) {
	return e.hasEdge(t, n);
}
function Wo(e, t, n) {
	return n.low <= t.lim && t.lim <= n.lim;
}
var Go = Ko;
function Ko(e) {
	let t = e.graph().ranker;
	if (typeof t == "function") return t(e);
	switch (t) {
		case "network-simplex":
			Yo(e);
			break;
		case "tight-tree":
			Jo(e);
			break;
		case "longest-path":
			qo(e);
			break;
		case "none": break;
		default: Yo(e);
	}
}
var qo = Co;
function Jo(e) {
	Co(e), To(e);
}
function Yo(e) {
	Mo(e);
}
var Xo = Zo;
function Zo(e) {
	let t = $o(e), n = e.graph();
	Array.isArray(n.dummyChains) && n.dummyChains.forEach((n) => {
		let r = e.node(n), i = r.edgeObj, a = Qo(e, t, i.v, i.w), o = a.path, s = a.lca, c = 0, l = o[c], u = !0;
		for (; n !== i.w;) {
			if (r = e.node(n), u) {
				for (; (l = o[c]) !== s && e.node(l).maxRank < r.rank;) c++;
				l === s && (u = !1);
			}
			if (!u) {
				for (; c < o.length - 1 && e.node(o[c + 1]).minRank <= r.rank;) c++;
				l = o[c];
			}
			l !== void 0 && e.setParent(n, l), n = e.successors(n)[0];
		}
	});
}
function Qo(e, t, n, r) {
	let i = [], a = [], o = Math.min(t[n].low, t[r].low), s = Math.max(t[n].lim, t[r].lim), c;
	c = n;
	do
		c = e.parent(c), i.push(c);
	while (c && (t[c].low > o || s > t[c].lim));
	let l = c, u = r;
	for (; (u = e.parent(u)) !== l;) a.push(u);
	return {
		path: i.concat(a.reverse()),
		lca: l
	};
}
function $o(e) {
	let t = {}, n = 0;
	function r(i) {
		let a = n;
		e.children(i).forEach(r), t[i] = {
			low: a,
			lim: n++
		};
	}
	return e.children(no).forEach(r), t;
}
function es(e) {
	let t = La(e, "root", {}, "_root"), n = ns(e), r = Object.values(n), i = Z(Math.max, r) - 1, a = 2 * i + 1;
	e.graph().nestingRoot = t, e.edges().forEach((t) => e.edge(t).minlen *= a);
	let o = rs(e) + 1;
	e.children(no).forEach((r) => {
		ts(e, t, a, o, i, n, r);
	}), e.graph().nodeRankFactor = a;
}
function ts(e, t, n, r, i, a, o) {
	let s = e.children(o);
	if (!s.length) {
		o !== t && e.setEdge(t, o, {
			weight: 0,
			minlen: n
		});
		return;
	}
	let c = Wa(e, "_bt"), l = Wa(e, "_bb"), u = e.node(o);
	e.setParent(c, o), u.borderTop = c, e.setParent(l, o), u.borderBottom = l, s.forEach((s) => {
		ts(e, t, n, r, i, a, s);
		let u = e.node(s), d = u.borderTop ? u.borderTop : s, f = u.borderBottom ? u.borderBottom : s, p = u.borderTop ? r : 2 * r, m = d === f ? i - (a[o] ?? 0) + 1 : 1;
		e.setEdge(c, d, {
			weight: p,
			minlen: m,
			nestingEdge: !0
		}), e.setEdge(f, l, {
			weight: p,
			minlen: m,
			nestingEdge: !0
		});
	}), e.parent(o) || e.setEdge(t, c, {
		weight: 0,
		minlen: i + (a[o] ?? 0)
	});
}
function ns(e) {
	let t = {};
	function n(r, i) {
		let a = e.children(r);
		a && a.length && a.forEach((e) => n(e, i + 1)), t[r] = i;
	}
	return e.children(no).forEach((e) => n(e, 1)), t;
}
function rs(e) {
	return e.edges().reduce((t, n) => t + e.edge(n).weight, 0);
}
function is(e) {
	let t = e.graph();
	e.removeNode(t.nestingRoot), delete t.nestingRoot, e.edges().forEach((t) => {
		e.edge(t).nestingEdge && e.removeEdge(t);
	});
}
var as = os;
function os(e) {
	function t(n) {
		let r = e.children(n), i = e.node(n);
		if (r.length && r.forEach(t), i && Object.hasOwn(i, "minRank")) {
			i.borderLeft = [], i.borderRight = [];
			for (let t = i.minRank, r = i.maxRank + 1; t < r; ++t) ss(e, "borderLeft", "_bl", n, i, t), ss(e, "borderRight", "_br", n, i, t);
		}
	}
	e.children(no).forEach(t);
}
function ss(e, t, n, r, i, a) {
	let o = {
		width: 0,
		height: 0,
		rank: a,
		borderType: t
	}, s = i[t][a - 1], c = La(e, "border", o, n);
	i[t][a] = c, e.setParent(c, r), s && e.setEdge(s, c, { weight: 1 });
}
function cs(e) {
	let t = e.graph().rankdir?.toLowerCase();
	(t === "lr" || t === "rl") && us(e);
}
function ls(e) {
	let t = e.graph().rankdir?.toLowerCase();
	(t === "bt" || t === "rl") && fs(e), (t === "lr" || t === "rl") && (ms(e), us(e));
}
function us(e) {
	e.nodes().forEach((t) => ds(e.node(t))), e.edges().forEach((t) => ds(e.edge(t)));
}
function ds(e) {
	let t = e.width;
	e.width = e.height, e.height = t;
}
function fs(e) {
	e.nodes().forEach((t) => ps(e.node(t))), e.edges().forEach((t) => {
		var n;
		let r = e.edge(t);
		(n = r.points) == null || n.forEach(ps), Object.hasOwn(r, "y") && ps(r);
	});
}
function ps(e) {
	e.y = -e.y;
}
function ms(e) {
	e.nodes().forEach((t) => hs(e.node(t))), e.edges().forEach((t) => {
		var n;
		let r = e.edge(t);
		(n = r.points) == null || n.forEach(hs), Object.hasOwn(r, "x") && hs(r);
	});
}
function hs(e) {
	let t = e.x;
	e.x = e.y, e.y = t;
}
function gs(e, t = null) {
	let n = {}, r = e.nodes().filter((t) => !e.children(t).length), i = r.map((t) => e.node(t).rank), a = Qa(Z(Math.max, i) + 1).map(() => []);
	function o(t) {
		if (n[t]) return;
		n[t] = !0;
		let r = e.node(t);
		a[r.rank].push(t);
		let i = e.successors(t);
		i && [...i].sort((e, t) => s(e, t)).forEach(o);
	}
	r.sort((t, n) => e.node(t).rank - e.node(n).rank).forEach(o);
	function s(n, r) {
		return ro(t, e.node(n), e.node(r));
	}
	return a;
}
function _s(e, t) {
	let n = 0;
	for (let r = 1; r < t.length; ++r) n += vs(e, t[r - 1], t[r]);
	return n;
}
function vs(e, t, n) {
	let r = to(n, n.map((e, t) => t)), i = t.flatMap((t) => {
		let n = e.outEdges(t);
		return n ? n.map((t) => ({
			pos: r[t.w],
			weight: e.edge(t).weight
		})).sort((e, t) => e.pos - t.pos) : [];
	}), a = 1;
	for (; a < n.length;) a <<= 1;
	let o = 2 * a - 1;
	--a;
	let s = Array(o).fill(0), c = 0;
	return i.forEach((e) => {
		let t = e.pos + a;
		s[t] += e.weight;
		let n = 0;
		for (; t > 0;) t % 2 && (n += s[t + 1]), t = t - 1 >> 1, s[t] += e.weight;
		c += e.weight * n;
	}), c;
}
function ys(e, t = []) {
	return t.map((t) => {
		let n = e.inEdges(t);
		if (!n || !n.length) return { v: t };
		{
			let r = n.reduce((t, n) => {
				let r = e.edge(n), i = e.node(n.v);
				return {
					sum: t.sum + r.weight * i.order,
					weight: t.weight + r.weight
				};
			}, {
				sum: 0,
				weight: 0
			});
			return {
				v: t,
				barycenter: r.sum / r.weight,
				weight: r.weight
			};
		}
	});
}
function bs(e, t) {
	let n = {};
	return e.forEach((e, t) => {
		let r = {
			indegree: 0,
			in: [],
			out: [],
			vs: [e.v],
			i: t
		};
		e.barycenter !== void 0 && (r.barycenter = e.barycenter, r.weight = e.weight), n[e.v] = r;
	}), t.edges().forEach((e) => {
		let t = n[e.v], r = n[e.w];
		t !== void 0 && r !== void 0 && (r.indegree++, t.out.push(r));
	}), xs(Object.values(n).filter((e) => !e.indegree));
}
function xs(e) {
	let t = [];
	function n(e) {
		return (t) => {
			t.merged || (t.barycenter === void 0 || e.barycenter === void 0 || t.barycenter >= e.barycenter) && Ss(e, t);
		};
	}
	function r(t) {
		return (n) => {
			n.in.push(t), --n.indegree === 0 && e.push(n);
		};
	}
	for (; e.length;) {
		let i = e.pop();
		t.push(i), i.in.reverse().forEach(n(i)), i.out.forEach(r(i));
	}
	return t.filter((e) => !e.merged).map((e) => $a(e, [
		"vs",
		"i",
		"barycenter",
		"weight"
	]));
}
function Ss(e, t) {
	let n = 0, r = 0;
	e.weight && (n += e.barycenter * e.weight, r += e.weight), t.weight && (n += t.barycenter * t.weight, r += t.weight), e.vs = t.vs.concat(e.vs), e.barycenter = n / r, e.weight = r, e.i = Math.min(t.i, e.i), t.merged = !0;
}
function Cs(e, t, n, r, i) {
	let a = {}, o = null, s = null, c = i;
	typeof t == "boolean" ? (c = t, a = {}) : t && (a = t, o = n ?? null, s = r ?? null);
	let l = Ja(e, (e) => Object.hasOwn(e, "barycenter")), u = l.lhs, d = l.rhs.sort((e, t) => t.i - e.i), f = [], p = 0, m = 0, h = 0;
	u.sort(Ts(s, o, !!c));
	for (let [e, t] of Object.entries(a)) {
		let n = u.findIndex((t) => t.vs[0] === e);
		u.splice(n + 1, 0, t);
	}
	h = ws(f, d, h), u.forEach((e) => {
		h += e.vs.length, f.push(e.vs), p += e.barycenter * e.weight, m += e.weight, h = ws(f, d, h);
	});
	let g = { vs: f.flat(1) };
	return m && (g.barycenter = p / m, g.weight = m), g;
}
function ws(e, t, n) {
	let r;
	for (; t.length && (r = t[t.length - 1]).i <= n;) t.pop(), e.push(r.vs), n++;
	return n;
}
function Ts(e, t, n) {
	return (r, i) => {
		if (r.barycenter < i.barycenter) return -1;
		if (r.barycenter > i.barycenter) return 1;
		if (e && (typeof r.vs[0] == "string" || typeof i.vs[0] == "string")) {
			let n = ro(t, e.node(r.vs[0]), e.node(i.vs[0]));
			if (n !== 0) return n;
		}
		return n ? i.i - r.i : r.i - i.i;
	};
}
function Es(e, t, n, r, i) {
	var a, o;
	let s = null, c = i;
	typeof r == "boolean" ? (c = r, s = null) : r !== void 0 && (s = r);
	let l = e.children(t), u = e.node(t), d = u ? u.borderLeft : void 0, f = u ? u.borderRight : void 0, p = {};
	d && (l = l.filter((e) => e !== d && e !== f));
	let m = ys(e, l);
	m.forEach((t) => {
		if (e.children(t.v).length) {
			let { result: r } = Es(e, t.v, n, s, c);
			p[t.v] = r, Object.hasOwn(r, "barycenter") && Os(t, r);
		}
	});
	let h = bs(m, n);
	Ds(h, p);
	let g = {}, _ = !1;
	for (let t = 0; t < h.length; t++) for (let n = t + 1; n < h.length; n++) if (h[t] && h[n] && (a = h[t]) != null && a.barycenter && (o = h[n]) != null && o.barycenter && h[t]?.barycenter === h[n].barycenter) {
		let r = h[t]?.vs[0] ?? "", i = h[n]?.vs[0] ?? "", a = e.node(r), o = e.node(i);
		if (a.dummy === "edge" && o.dummy === "edge" && a.edgeObj?.v === o.edgeObj?.v && a.edgeObj?.w === o.edgeObj?.w) {
			if (a.edgeLabel.reversed) {
				g[i] = h[t], h.splice(t, 1), t--;
				break;
			}
			g[r] = h[n], h.splice(n, 1), n--;
		} else _ = !0;
	}
	let v = Cs(h, g, s, e, c);
	if (d && f) {
		v.vs = [
			d,
			v.vs,
			f
		].flat(1);
		let t = e.predecessors(d);
		if (t && t.length) {
			let n = e.node(t[0]), r = e.predecessors(f), i = e.node(r[0]);
			Object.hasOwn(v, "barycenter") || (v.barycenter = 0, v.weight = 0), v.barycenter = (v.barycenter * v.weight + n.order + i.order) / (v.weight + 2), v.weight += 2;
		}
	}
	return Object.defineProperty(v, "result", {
		value: v,
		enumerable: !1,
		configurable: !0,
		writable: !0
	}), Object.defineProperty(v, "usedBias", {
		value: _,
		enumerable: !1,
		configurable: !0,
		writable: !0
	}), v;
}
function Ds(e, t) {
	e.forEach((e) => {
		e.vs = e.vs.flatMap((e) => t[e] ? t[e].vs : e);
	});
}
function Os(e, t) {
	e.barycenter === void 0 ? (e.barycenter = t.barycenter, e.weight = t.weight) : (e.barycenter = (e.barycenter * e.weight + t.barycenter * t.weight) / (e.weight + t.weight), e.weight += t.weight);
}
function ks(e, t, n, r) {
	r ||= e.nodes();
	let i = As(e), a = new X({ compound: !0 }).setGraph({ root: i }).setDefaultNodeLabel((t) => e.node(t));
	return r.forEach((r) => {
		let o = e.node(r), s = e.parent(r);
		if (o.rank === t || o.minRank <= t && t <= o.maxRank) {
			a.setNode(r), a.setParent(r, s || i);
			let c = e[n](r);
			c && c.forEach((t) => {
				let n = t.v === r ? t.w : t.v, i = a.edge(n, r), o = i === void 0 ? 0 : i.weight;
				a.setEdge(n, r, { weight: e.edge(t).weight + o });
			}), Object.hasOwn(o, "minRank") && a.setNode(r, {
				borderLeft: o.borderLeft[t],
				borderRight: o.borderRight[t]
			});
		}
	}), a;
}
function As(e) {
	let t;
	for (; e.hasNode(t = Za("_root")););
	return t;
}
function js(e, t, n) {
	let r = {}, i;
	n.forEach((n) => {
		let a = e.parent(n), o, s;
		for (; a;) {
			if (o = e.parent(a), o ? (s = r[o], r[o] = a) : (s = i, i = a), s && s !== a) {
				t.setEdge(s, a);
				return;
			}
			a = o;
		}
	});
}
function Ms(e, t = {}, n = null) {
	if (typeof t.customOrder == "function") {
		t.customOrder(e, Ms);
		return;
	}
	let r = qa(e), i = Ns(e, Qa(1, r + 1), "inEdges"), a = Ns(e, Qa(r - 1, -1, -1), "outEdges"), o = gs(e, n);
	if (Fs(e, o), t.disableOptimalOrderHeuristic) return;
	let s = Infinity, c, l = t.constraints || [];
	for (let t = 0, r = 0; r < 4; ++t, ++r) {
		Ps(t % 2 ? i : a, t % 4 >= 2, l, n), o = Va(e);
		let u = _s(e, o);
		u < s ? (r = 0, c = Object.assign({}, o), s = u) : u === s && (c = structuredClone(o));
	}
	Fs(e, c);
}
function Ns(e, t, n) {
	let r = /* @__PURE__ */ new Map(), i = (e, t) => {
		r.has(e) || r.set(e, []), r.get(e).push(t);
	};
	for (let t of e.nodes()) {
		let n = e.node(t);
		if (typeof n.rank == "number" && i(n.rank, t), typeof n.minRank == "number" && typeof n.maxRank == "number") for (let e = n.minRank; e <= n.maxRank; e++) e !== n.rank && i(e, t);
	}
	return t.map(function(t) {
		return ks(e, t, n, r.get(t) || []);
	});
}
function Ps(e, t, n, r) {
	let i = !0, a = new X();
	e.forEach(function(e) {
		n.forEach((e) => a.setEdge(e.left, e.right));
		let o = e.graph().root, { result: s, usedBias: c } = Es(e, o, a, r, i);
		t && c && (i = !i), s.vs.forEach((t, n) => e.node(t).order = n), js(e, a, s.vs);
	});
}
function Fs(e, t) {
	Object.values(t).forEach((t) => t.forEach((t, n) => e.node(t).order = n));
}
function Is(e, t) {
	let n = {};
	function r(t, r) {
		let i = 0, a = 0, o = t.length, s = r[r.length - 1];
		return r.forEach((t, c) => {
			let l = Rs(e, t), u = l ? e.node(l).order : o;
			(l || t === s) && (r.slice(a, c + 1).forEach((t) => {
				let r = e.predecessors(t);
				r && r.forEach((r) => {
					let a = e.node(r), o = a.order;
					(o < i || u < o) && !(a.dummy && e.node(t).dummy) && zs(n, r, t);
				});
			}), a = c + 1, i = u);
		}), r;
	}
	return t.length && t.reduce(r), n;
}
function Ls(e, t) {
	let n = {};
	function r(t, r, i, a, o) {
		Qa(r, i).forEach((r) => {
			let i = t[r];
			if (i !== void 0 && e.node(i).dummy) {
				let t = e.predecessors(i);
				t && t.forEach((t) => {
					if (t === void 0) return;
					let r = e.node(t);
					r.dummy && (r.order < a || r.order > o) && zs(n, t, i);
				});
			}
		});
	}
	function i(t, n) {
		let i = -1, a = -1, o = 0;
		return n.forEach((s, c) => {
			if (e.node(s).dummy === "border") {
				let t = e.predecessors(s);
				if (t && t.length) {
					let s = t[0];
					if (s === void 0) return;
					a = e.node(s).order, r(n, o, c, i, a), o = c, i = a;
				}
			}
			r(n, o, n.length, a, t.length);
		}), n;
	}
	return t.length && t.reduce(i), n;
}
function Rs(e, t) {
	if (e.node(t).dummy) {
		let n = e.predecessors(t);
		if (n) return n.find((t) => e.node(t).dummy);
	}
}
function zs(e, t, n) {
	if (t > n) {
		let e = t;
		t = n, n = e;
	}
	let r = e[t];
	r || (e[t] = r = {}), r[n] = !0;
}
function Bs(e, t, n) {
	if (t > n) {
		let e = t;
		t = n, n = e;
	}
	let r = e[t];
	return r !== void 0 && Object.hasOwn(r, n);
}
function Vs(e, t, n, r, i) {
	let a = {}, o = {}, s = {};
	return t.forEach((e) => {
		e.forEach((e, t) => {
			a[e] = e, o[e] = e, s[e] = t;
		});
	}), t.forEach((t) => {
		let c = -1, l = -1, u = !1, d = t, f = t.findIndex((t) => i?.includes(t) || Xs(t, e, i));
		f > 0 && (d = [
			t[f],
			...t.slice(0, f),
			...t.slice(f + 1)
		], u = !0), d.forEach((t) => {
			let d = r(t);
			if (d && d.length) {
				i != null && i.includes(t) && (d = d.filter((t) => Xs(t, e, i)));
				let r = d.sort((e, t) => {
					let n = s[e], r = s[t];
					return (n === void 0 ? 0 : n) - (r === void 0 ? 0 : r);
				}), f = (r.length - 1) / 2;
				for (let e = Math.floor(f), i = Math.ceil(f); e <= i; ++e) {
					let i = r[e];
					if (i === void 0) continue;
					let d = s[i];
					if (d !== void 0 && o[t] === t && c < d && s[i] !== l && !Bs(n, t, i)) {
						let e = a[i];
						e !== void 0 && (o[i] = t, o[t] = a[t] = e, c = d, u &&= (c = -1, l = s[i] ?? -1, !1));
					}
				}
			}
		});
	}), {
		root: a,
		align: o
	};
}
function Hs(e, t, n, r, i = !1) {
	let a = {}, o = Us(e, t, n, i), s = i ? "borderLeft" : "borderRight";
	function c(e, t) {
		let n = o.nodes().slice(), r = {}, i = n.pop();
		for (; i;) {
			if (r[i]) e(i);
			else {
				r[i] = !0, n.push(i);
				for (let e of t(i)) n.push(e);
			}
			i = n.pop();
		}
	}
	function l(e) {
		let t = o.inEdges(e);
		t ? a[e] = t.reduce((e, t) => {
			let n = a[t.v] ?? 0, r = o.edge(t);
			return Math.max(e, n + (r === void 0 ? 0 : r));
		}, 0) : a[e] = 0;
	}
	function u(t) {
		let n = o.outEdges(t), r = Infinity;
		n && (r = n.reduce((e, t) => {
			let n = a[t.w], r = o.edge(t);
			return Math.min(e, (n === void 0 ? 0 : n) - (r === void 0 ? 0 : r));
		}, Infinity));
		let i = e.node(t);
		r !== Infinity && i.borderType !== s && (a[t] = Math.max(a[t] === void 0 ? 0 : a[t], r));
	}
	function d(e) {
		return o.predecessors(e) || [];
	}
	function f(e) {
		return o.successors(e) || [];
	}
	return c(l, d), c(u, f), Object.keys(r).forEach((e) => {
		let t = n[e];
		t !== void 0 && (a[e] = a[t] ?? 0);
	}), a;
}
function Us(e, t, n, r) {
	let i = new X(), a = e.graph(), o = Js(a.nodesep, a.edgesep, r);
	return t.forEach((t) => {
		let r;
		t.forEach((t) => {
			let a = n[t];
			if (a !== void 0) {
				if (i.setNode(a), r !== void 0) {
					let s = n[r];
					if (s !== void 0) {
						let n = i.edge(s, a);
						i.setEdge(s, a, Math.max(o(e, t, r), n || 0));
					}
				}
				r = t;
			}
		});
	}), i;
}
function Ws(e, t) {
	return Object.values(t).reduce((t, n) => {
		let r = -Infinity, i = Infinity;
		Object.entries(n).forEach(([t, n]) => {
			let a = Ys(e, t) / 2;
			r = Math.max(n + a, r), i = Math.min(n - a, i);
		});
		let a = r - i;
		return a < t[0] && (t = [a, n]), t;
	}, [Infinity, null])[1];
}
function Gs(e, t) {
	let n = Object.values(t), r = Z(Math.min, n), i = Z(Math.max, n);
	["u", "d"].forEach((n) => {
		["l", "r"].forEach((a) => {
			let o = n + a, s = e[o];
			if (!s || s === t) return;
			let c = Object.values(s), l = r - Z(Math.min, c);
			a !== "l" && (l = i - Z(Math.max, c)), l && (e[o] = eo(s, (e) => e + l));
		});
	});
}
function Ks(e, t = void 0) {
	let n = e.ul;
	return n ? eo(n, (n, r) => {
		if (t) {
			let n = e[t.toLowerCase()];
			if (n && n[r] !== void 0) return n[r];
		}
		let i = Object.values(e).map((e) => {
			let t = e[r];
			return t === void 0 ? 0 : t;
		}).sort((e, t) => e - t);
		return ((i[1] ?? 0) + (i[2] ?? 0)) / 2;
	}) : {};
}
function qs(e, t) {
	let n = Va(e), r = Object.assign(Is(e, n), Ls(e, n)), i = {}, a;
	return ["u", "d"].forEach((o) => {
		a = o === "u" ? n : Object.values(n).reverse(), ["l", "r"].forEach((n) => {
			n === "r" && (a = a.map((e) => Object.values(e).reverse()));
			let s = Vs(e, a, r, (t) => (o === "u" ? e.predecessors(t) : e.successors(t)) || [], t), c = Hs(e, a, s.root, s.align, n === "r");
			n === "r" && (c = eo(c, (e) => -e)), i[o + n] = c;
		});
	}), Gs(i, Ws(e, i)), Ks(i, e.graph().align);
}
function Js(e, t, n) {
	return (r, i, a) => {
		let o = r.node(i), s = r.node(a), c = 0, l;
		if (c += o.width / 2, Object.hasOwn(o, "labelpos")) switch (o.labelpos.toLowerCase()) {
			case "l":
				l = -o.width / 2;
				break;
			case "r": l = o.width / 2;
		}
		if (l && (c += n ? l : -l), l = void 0, c += (o.dummy ? t : e) / 2, c += (s.dummy ? t : e) / 2, c += s.width / 2, Object.hasOwn(s, "labelpos")) switch (s.labelpos.toLowerCase()) {
			case "l":
				l = s.width / 2;
				break;
			case "r": l = -s.width / 2;
		}
		return l && (c += n ? l : -l), c;
	};
}
function Ys(e, t) {
	return e.node(t).width;
}
function Xs(e, t, n) {
	if (!n) return !1;
	let r = t.node(e)?.edgeObj;
	if (!r || t.node(e).edgeLabel.reversed) return !1;
	let i = n.indexOf(r?.v), a = n.indexOf(r?.w);
	return i !== -1 && a !== -1 && i === (a + 1) % n.length || i === (a - 1) % n.length;
}
function Zs(e, t) {
	e = za(e), Qs(e), Object.entries(qs(e, t)).forEach(([t, n]) => e.node(t).x = n);
}
function Qs(e) {
	let t = Va(e), n = e.graph(), r = n.ranksep, i = n.rankalign, a = 0;
	t.forEach((t) => {
		let n = t.reduce((t, n) => {
			let r = e.node(n).height ?? 0;
			return t > r ? t : r;
		}, 0);
		t.forEach((t) => {
			let r = e.node(t);
			r.y = i === "top" ? a + r.height / 2 : i === "bottom" ? a + n - r.height / 2 : a + n / 2;
		}), a += n + r;
	});
}
var $s = /* @__PURE__ */ new WeakMap();
function ec(e, t = {}) {
	return nc(e, Ya, t), e;
}
function tc(e, t, n) {
	let r = t;
	for (; r !== void 0;) {
		let t = e.parent(r);
		if (t === n) return r;
		r = t;
	}
}
function nc(e, t, n) {
	let r = e.nodes().filter((t) => e.children(t).length), i = {};
	r.forEach((r) => {
		let a = e.node(r);
		if (a && a.rankdir) {
			let o = new X({
				multigraph: !0,
				compound: !0
			});
			o.setGraph({ rankdir: a.rankdir });
			let s = e.children(r);
			s.forEach((t) => {
				let n = { ...e.node(t) };
				o.setNode(t, n);
				let i = e.parent(t);
				i && i !== r && s.includes(i) && o.setParent(t, i);
			});
			let c = /* @__PURE__ */ new Set();
			e.edges().forEach((t) => {
				let n = tc(e, t.v, r), i = tc(e, t.w, r);
				if (n && i && n !== i) {
					let r = `${n}\0${i}`;
					c.has(r) || (c.add(r), o.setEdge(n, i, { ...e.edge(t) }));
				}
			}), nc(o, t, n);
			let l = pc(o);
			rc(l, t, n, null), ic(o, l);
			let u = 1 / 0, d = 1 / 0, f = -1 / 0, p = -1 / 0;
			o.nodes().forEach((e) => {
				if (e === r) return;
				let t = o.node(e);
				t && typeof t.x == "number" && typeof t.y == "number" && typeof t.width == "number" && typeof t.height == "number" && (u = Math.min(u, t.x - t.width / 2), f = Math.max(f, t.x + t.width / 2), d = Math.min(d, t.y - t.height / 2), p = Math.max(p, t.y + t.height / 2));
			}), isFinite(u) && isFinite(d) && isFinite(f) && isFinite(p) || (u = d = 0, f = p = 0);
			let m = f - u, h = p - d;
			i[r] = {
				minX: u,
				minY: d,
				maxX: f,
				maxY: p,
				width: m,
				height: h,
				offsetX: u,
				offsetY: d
			}, a._dagreClusterSubgraph = o;
		}
	});
	let a = [], o = (t) => {
		let n = [], r = (e.children(t) || []).filter((e) => e !== t);
		for (; r.length > 0;) {
			let t = r.shift();
			n.push(t), (e.children(t) || []).filter((e) => e !== t).forEach((e) => r.push(e));
		}
		return n;
	}, s = /* @__PURE__ */ new Map();
	r.forEach((t) => {
		let n = e.node(t);
		n && n.rankdir && i[t] && s.set(t, (e.children(t) || []).filter((e) => e !== t));
	});
	let c = new Set([...s.values()].flat()), l = /* @__PURE__ */ new Map();
	s.forEach((e, t) => {
		c.has(t) || l.set(t, o(t));
	});
	let u = new Set([...l.values()].flat()), d = (e) => {
		for (let [t, n] of l) if (n.includes(e)) return t;
		return e;
	}, f = [];
	e.edges().forEach((t) => {
		(u.has(t.v) || u.has(t.w)) && f.push({
			edge: t,
			label: e.edge(t)
		});
	});
	let p = /* @__PURE__ */ new Map();
	u.forEach((t) => {
		let n = e.parent(t);
		p.set(t, typeof n == "string" ? n : void 0);
	}), l.forEach((t, n) => {
		let r = e.node(n), o = [];
		t.forEach((t) => {
			let n = e.node(t);
			n && (o.push({
				id: t,
				node: n,
				parent: p.get(t)
			}), e.removeNode(t));
		});
		let s = f.filter(({ edge: e }) => t.includes(e.v) || t.includes(e.w)), c = i[n];
		r && (a.push({
			clusterId: n,
			subgraph: r._dagreClusterSubgraph,
			bounds: c,
			children: t,
			removedNodes: o,
			removedEdges: s
		}), r.width = c.width, r.height = c.height);
	});
	let m = /* @__PURE__ */ new Set();
	f.forEach(({ edge: t, label: n }) => {
		let r = d(t.v), i = d(t.w);
		if (r !== i && e.hasNode(r) && e.hasNode(i)) {
			let t = `${r}\0${i}`;
			m.has(t) || (m.add(t), e.setEdge(r, i, {
				...n,
				width: 0,
				height: 0
			}));
		}
	});
	let h = pc(e), g = rc(h, t, n, $s.get(e) ?? null);
	$s.set(e, g), ic(e, h), m.forEach((t) => {
		let n = t.indexOf("\0"), r = t.slice(0, n), i = t.slice(n + 1);
		e.hasEdge(r, i) && e.removeEdge(r, i);
	}), a.forEach(({ clusterId: t, subgraph: n, bounds: r, removedNodes: i, removedEdges: a }) => {
		let o = e.node(t), s = o?.x ?? 0, c = o?.y ?? 0, l = (r.minX + r.maxX) / 2, u = (r.minY + r.maxY) / 2;
		i.forEach(({ id: t, node: n, parent: r }) => {
			e.setNode(t, n), r !== void 0 && e.setParent(t, r);
		}), a.forEach(({ edge: t, label: n }) => {
			e.setEdge(t, n);
		}), n.nodes().forEach((r) => {
			if (r === t) return;
			let i = n.node(r), a = e.node(r);
			a && i && typeof i.x == "number" && typeof i.y == "number" && (a.x = s + (i.x - l), a.y = c + (i.y - u));
		}), delete o._dagreClusterSubgraph;
	}), r.forEach((t) => {
		let n = e.node(t), r = i[t];
		if (n && n.rankdir && n._dagreClusterSubgraph && r) {
			let i = n._dagreClusterSubgraph, a = n.x ?? 0, o = n.y ?? 0, s = (r.minX + r.maxX) / 2, c = (r.minY + r.maxY) / 2;
			i.nodes().forEach((n) => {
				if (n === t) return;
				let r = i.node(n), l = e.node(n);
				if (l && r && typeof r.x == "number" && typeof r.y == "number") {
					let e = r.x - s, t = r.y - c;
					l.x = a + e, l.y = o + t;
				}
			}), delete n._dagreClusterSubgraph;
		}
	});
}
function rc(e, t, n, r = null) {
	var i, a;
	let o = n?.useDynamic !== !1, s = o && (i = r?.graph) != null ? i : null, c = o && (a = r?.rawNodes) != null ? a : null;
	t("    makeSpaceForEdgeLabels", () => mc(e)), t("    removeSelfEdges", () => Cc(e)), t("    acyclic", () => go(e, s)), t("    nestingGraph.run", () => es(e)), t("    rank", () => Go(za(e))), t("    injectEdgeLabelProxies", () => hc(e)), t("    removeEmptyRanks", () => Ua(e)), t("    nestingGraph.cleanup", () => is(e)), t("    normalizeRanks", () => Ha(e)), t("    assignRankMinMax", () => gc(e)), t("    removeEdgeLabelProxies", () => _c(e)), t("    normalize.run", () => bo(e)), t("    parentDummyChains", () => Xo(e)), t("    addBorderSegments", () => as(e)), t("    order", () => Ms(e, n, c)), t("    insertSelfEdges", () => wc(e)), t("    adjustCoordinateSystem", () => cs(e)), t("    position", () => Zs(e, n.corePath)), t("    positionSelfEdges", () => Tc(e));
	let l = JSON.parse(JSON.stringify(e._nodes));
	return t("    removeBorderNodes", () => Sc(e)), t("    normalize.undo", () => So(e)), t("    fixupEdgeLabelCoords", () => bc(e)), t("    undoCoordinateSystem", () => ls(e)), t("    translateGraph", () => vc(e)), t("    assignNodeIntersects", () => yc(e)), t("    reversePoints", () => xc(e)), t("    acyclic.undo", () => vo(e)), {
		graph: e,
		rawNodes: l
	};
}
function ic(e, t) {
	e.nodes().forEach((n) => {
		let r = e.node(n), i = t.node(n);
		r && (r.x = i.x, r.y = i.y, r.order = i.order, r.rank = i.rank, t.children(n).length && (r.width = i.width, r.height = i.height));
	}), e.edges().forEach((n) => {
		let r = e.edge(n), i = t.edge(n);
		r.points = i.points, Object.hasOwn(i, "x") && (r.x = i.x, r.y = i.y);
	}), e.graph().width = t.graph().width, e.graph().height = t.graph().height;
}
var ac = [
	"nodesep",
	"edgesep",
	"ranksep",
	"marginx",
	"marginy"
], oc = {
	ranksep: 50,
	edgesep: 20,
	nodesep: 50,
	rankdir: "TB",
	rankalign: "center"
}, sc = [
	"acyclicer",
	"ranker",
	"rankdir",
	"align",
	"rankalign"
], cc = [
	"width",
	"height",
	"rank"
], lc = {
	width: 0,
	height: 0
}, uc = [
	"minlen",
	"weight",
	"width",
	"height",
	"labeloffset"
], dc = {
	minlen: 1,
	weight: 1,
	width: 0,
	height: 0,
	labeloffset: 10,
	labelpos: "r"
}, fc = ["labelpos"];
function pc(e) {
	let t = new X({
		multigraph: !0,
		compound: !0
	}), n = Dc(e.graph());
	return t.setGraph(Object.assign({}, oc, Ec(n, ac), $a(n, sc))), e.nodes().forEach((n) => {
		let r = Ec(Dc(e.node(n)), cc);
		Object.keys(lc).forEach((e) => {
			r[e] === void 0 && (r[e] = lc[e]);
		}), t.setNode(n, r);
		let i = e.parent(n);
		i !== void 0 && t.setParent(n, i);
	}), e.edges().forEach((n) => {
		let r = Dc(e.edge(n));
		t.setEdge(n, Object.assign({}, dc, Ec(r, uc), $a(r, fc)));
	}), t;
}
function mc(e) {
	let t = e.graph();
	t.ranksep /= 2, e.edges().forEach((n) => {
		let r = e.edge(n);
		r.minlen *= 2, (r.labelpos ?? "r").toLowerCase() !== "c" && (t.rankdir === "TB" || t.rankdir === "BT" ? r.width += r.labeloffset : r.height += r.labeloffset);
	});
}
function hc(e) {
	e.edges().forEach((t) => {
		let n = e.edge(t);
		if (n.width && n.height) {
			let n = e.node(t.v);
			La(e, "edge-proxy", {
				rank: (e.node(t.w).rank - n.rank) / 2 + n.rank,
				e: t
			}, "_ep");
		}
	});
}
function gc(e) {
	let t = 0;
	e.nodes().forEach((n) => {
		let r = e.node(n);
		r.borderTop && (r.minRank = e.node(r.borderTop).rank, r.maxRank = e.node(r.borderBottom).rank, t = Math.max(t, r.maxRank));
	}), e.graph().maxRank = t;
}
function _c(e) {
	e.nodes().forEach((t) => {
		let n = e.node(t);
		if (n.dummy === "edge-proxy") {
			let r = n;
			e.edge(r.e).labelRank = n.rank, e.removeNode(t);
		}
	});
}
function vc(e) {
	let t = Infinity, n = 0, r = Infinity, i = 0, a = e.graph(), o = a.marginx || 0, s = a.marginy || 0;
	function c(e) {
		let a = e.x, o = e.y, s = e.width, c = e.height;
		t = Math.min(t, a - s / 2), n = Math.max(n, a + s / 2), r = Math.min(r, o - c / 2), i = Math.max(i, o + c / 2);
	}
	e.nodes().forEach((t) => c(e.node(t))), e.edges().forEach((t) => {
		let n = e.edge(t);
		Object.hasOwn(n, "x") && c(n);
	}), t -= o, r -= s, e.nodes().forEach((n) => {
		let i = e.node(n);
		i.x -= t, i.y -= r;
	}), e.edges().forEach((n) => {
		let i = e.edge(n);
		i.points.forEach((e) => {
			e.x -= t, e.y -= r;
		}), Object.hasOwn(i, "x") && (i.x -= t), Object.hasOwn(i, "y") && (i.y -= r);
	}), a.width = n - t + o, a.height = i - r + s;
}
function yc(e) {
	e.edges().forEach((t) => {
		if (t.v === t.w) return;
		let n = e.edge(t), r = e.node(t.v), i = e.node(t.w), a, o;
		n.points ? (a = n.points[0], o = n.points[n.points.length - 1]) : (n.points = [], a = i, o = r), n.points.unshift(Ba(r, a)), n.points.push(Ba(i, o));
	});
}
function bc(e) {
	e.edges().forEach((t) => {
		let n = e.edge(t);
		if (Object.hasOwn(n, "x")) switch ((n.labelpos === "l" || n.labelpos === "r") && (n.width -= n.labeloffset), n.labelpos) {
			case "l":
				n.x -= n.width / 2 + n.labeloffset;
				break;
			case "r": n.x += n.width / 2 + n.labeloffset;
		}
	});
}
function xc(e) {
	e.edges().forEach((t) => {
		let n = e.edge(t);
		n.reversed && n.points.reverse();
	});
}
function Sc(e) {
	e.nodes().forEach((t) => {
		if (e.children(t).length) {
			let n = e.node(t), r = e.node(n.borderTop), i = e.node(n.borderBottom), a = e.node(n.borderLeft[n.borderLeft.length - 1]), o = e.node(n.borderRight[n.borderRight.length - 1]);
			n.width = Math.abs(o.x - a.x), n.height = Math.abs(i.y - r.y), n.x = a.x + n.width / 2, n.y = r.y + n.height / 2;
		}
	}), e.nodes().forEach((t) => {
		e.node(t).dummy === "border" && e.removeNode(t);
	});
}
function Cc(e) {
	e.edges().forEach((t) => {
		if (t.v === t.w) {
			let n = e.node(t.v);
			n.selfEdges ||= [], n.selfEdges.push({
				e: t,
				label: e.edge(t)
			}), e.removeEdge(t);
		}
	});
}
function wc(e) {
	Va(e).forEach((t) => {
		let n = 0;
		t.forEach((t, r) => {
			let i = e.node(t);
			typeof i.rank != "number" && (i.rank = 0), i.order = r + n, (i.selfEdges || []).forEach((t) => {
				La(e, "selfedge", {
					width: t.label.width,
					height: t.label.height,
					rank: i.rank,
					order: r + ++n,
					e: t.e,
					edgeLabel: t.label
				}, "_se"), Array.isArray(t.label.points) && t.label.points.length === 7 || (t.label.points = [
					{
						x: 0,
						y: -10
					},
					{
						x: 0,
						y: -10
					},
					{
						x: 0,
						y: 0
					},
					{
						x: 0,
						y: 10
					},
					{
						x: 0,
						y: 10
					},
					{
						x: 0,
						y: 0
					},
					{
						x: 0,
						y: 0
					}
				]);
			}), delete i.selfEdges;
		});
	});
}
function Tc(e) {
	e.nodes().forEach((t) => {
		let n = e.node(t), r = (e) => typeof e == "number" && isFinite(e);
		if (n.dummy === "selfedge") {
			let i = n, a = e.node(i.e.v), o = r(a?.x) ? a.x : 0, s = r(a?.y) ? a.y : 0, c = r(a?.width) ? a.width : 0, l = r(a?.height) ? a.height : 0, u = r(n.x) ? n.x : o, d = r(n.y) ? n.y : s, f = c / 2, p = l / 2;
			i.edgeLabel.points = [
				{
					x: u + f,
					y: d - p
				},
				{
					x: u + f,
					y: d - p
				},
				{
					x: u,
					y: d
				},
				{
					x: u - f,
					y: d + p
				},
				{
					x: u - f,
					y: d + p
				},
				{
					x: u,
					y: d
				},
				{
					x: u,
					y: d
				}
			], i.edgeLabel.x = u, i.edgeLabel.y = d, e.setEdge(i.e, i.edgeLabel), e.removeNode(t);
		} else n && Array.isArray(n.selfEdges) && n.selfEdges.forEach((e) => {
			if (!Array.isArray(e.label.points) || e.label.points.length !== 7) {
				let t = r(n.x) ? n.x : 0, i = r(n.y) ? n.y : 0, a = r(n.width) ? n.width : 0, o = r(n.height) ? n.height : 0, s = a / 2, c = o / 2;
				e.label.points = [
					{
						x: t + s,
						y: i - c
					},
					{
						x: t + s,
						y: i - c
					},
					{
						x: t,
						y: i
					},
					{
						x: t - s,
						y: i + c
					},
					{
						x: t - s,
						y: i + c
					},
					{
						x: t,
						y: i
					},
					{
						x: t,
						y: i
					}
				];
			}
		});
	});
}
function Ec(e, t) {
	return eo($a(e, t), Number);
}
function Dc(e) {
	let t = {};
	return e && Object.entries(e).forEach(([e, n]) => {
		typeof e == "string" && (e = e.toLowerCase()), t[e] = n;
	}), t;
}
var Oc = 560, kc = {
	direction: "LR",
	box: {
		width: 128,
		height: 64
	},
	layers: 56,
	beside: 22
}, Ac = {
	direction: "LR",
	box: {
		width: 116,
		height: 64
	},
	layers: 30,
	beside: 18
}, jc = {
	direction: "TB",
	box: {
		width: 116,
		height: 64
	},
	layers: 40,
	beside: 14
};
function Mc(e) {
	return e.nodes.map((e) => `${e.op}(${e.operands.map((e) => "node" in e ? e.node : "c").join()})`).join(";");
}
function Nc(e, t) {
	if (t < Oc) return Pc(e, jc);
	let n = Pc(e, kc);
	return n.width * .85 <= t ? n : Pc(e, Ac);
}
function Pc(e, t) {
	let { direction: n, box: r, layers: i, beside: a } = t, o = new Qi.Graph({ multigraph: !0 });
	o.setGraph({
		rankdir: n,
		nodesep: a,
		ranksep: i,
		marginx: 12,
		marginy: 12
	});
	for (let t of e.nodes) o.setNode(String(t.index), { ...r });
	for (let t of e.nodes) t.operands.forEach((e, n) => {
		"node" in e && o.setEdge(String(e.node), String(t.index), {}, String(n));
	});
	ec(o);
	let s = e.nodes.map((e) => {
		let { x: t, y: n } = o.node(String(e.index));
		return {
			x: t,
			y: n
		};
	}), c = e.nodes.flatMap((e) => Fc(e, s, t, o)), { width: l = 0, height: u = 0 } = o.graph();
	return {
		...t,
		key: Mc(e),
		width: l,
		height: u,
		boxes: s,
		edges: c
	};
}
function Fc(e, t, { direction: n, box: r }, i) {
	let [a, o] = [t[e.index], n === "LR"], s = e.operands.flatMap((e, t) => "node" in e ? [{
		from: e.node,
		operand: t
	}] : []), c = [...s].sort((e, n) => (o ? t[e.from].y - t[n.from].y : t[e.from].x - t[n.from].x) || e.operand - n.operand);
	return s.map(({ from: n, operand: l }) => {
		let u = (c.findIndex((e) => e.operand === l) - (s.length - 1) / 2) * 16, d = s.filter((e) => e.from === n).length > 1 ? u : 0, f = t[n], p = o ? {
			x: f.x + r.width / 2,
			y: f.y + d
		} : {
			x: f.x + d,
			y: f.y + r.height / 2
		}, m = o ? {
			x: a.x - r.width / 2,
			y: a.y + u
		} : {
			x: a.x + u,
			y: a.y - r.height / 2
		}, { points: h } = i.edge(String(n), String(e.index), String(l)), { path: g, middle: _ } = Ic([
			p,
			...h.length > 3 ? h.slice(1, -1) : [],
			m
		], o), v = o && m.x - p.x < 40 && Math.abs(m.y - p.y) < r.height / 2;
		return {
			from: n,
			to: e.index,
			operand: l,
			path: g,
			middle: v ? {
				x: _.x,
				y: Math.min(a.y, f.y) - r.height / 2 - 2
			} : _
		};
	});
}
function Ic(e, t) {
	let n = `M${Lc(e[0])}`;
	for (let r = 1; r < e.length; r++) {
		let [i, a] = [e[r - 1], e[r]], o = t ? (i.x + a.x) / 2 : (i.y + a.y) / 2;
		n += t ? `C${Lc({
			x: o,
			y: i.y
		})} ${Lc({
			x: o,
			y: a.y
		})} ${Lc(a)}` : `C${Lc({
			x: i.x,
			y: o
		})} ${Lc({
			x: a.x,
			y: o
		})} ${Lc(a)}`;
	}
	let [r, i] = [e[e.length - 2], e[e.length - 1]];
	return {
		path: n,
		middle: {
			x: (r.x + i.x) / 2,
			y: (r.y + i.y) / 2
		}
	};
}
function Lc({ x: e, y: t }) {
	return `${e.toFixed(1)},${t.toFixed(1)}`;
}
// src/explore/Graph.tsx
function Rc(e) {
	return e === null ? "" : `${e.phase}.${e.node}.${e.operand ?? ""}`;
}
var zc = W((e) => {
	let { scene: t, layout: n, progress: r, showGradients: i, hovered: a, onHover: o, onSelect: s, questions: c, selection: l, label: u } = e, d = Hi(t, n, {
		progress: r,
		showGradients: i,
		questions: c
	}), f = H(() => /* @__PURE__ */ G(x, { children: [/* @__PURE__ */ G("g", { children: n.edges.map((e, t) => /* @__PURE__ */ G(ei, {
		index: t,
		path: e.path,
		classes: `edge ${Bc(e, t, r.step, a)}`,
		figures: d.curves[t],
		showGradient: i,
		onHover: o
	}, `${e.from}.${e.to}.${e.operand}`)) }), t.nodes.map((t) => /* @__PURE__ */ G($r, {
		index: t.index,
		name: t.name,
		formula: t.formula,
		sign: t.op && t.sign,
		x: n.boxes[t.index].x,
		y: n.boxes[t.index].y,
		width: n.box.width,
		height: n.box.height,
		classes: `node ${Vc(t.index, e).filter(Boolean).join(" ")}`,
		figures: d.boxes[t.index],
		showGradient: i,
		onHover: o,
		onSelect: s
	}, t.index))] }), [
		n,
		d,
		t.nodes.map((e) => e.name).join(),
		r.known.join(),
		Rc(r.step),
		a,
		i,
		o,
		s,
		c,
		l
	]);
	return /* @__PURE__ */ G("svg", {
		class: "graph",
		viewBox: `0 0 ${n.width} ${n.height}`,
		style: {
			minWidth: `${(e.smallest ?? .7) * n.width}px`,
			maxWidth: `${n.width * 1.15}px`
		},
		role: "group",
		"aria-label": u,
		onPointerLeave: () => o(null),
		children: [f, n.edges.map((e, n) => {
			let i = Bc(e, n, r.step, a), o = i === "back" || i === "pointed" ? zi(t, e)?.local : null;
			return o != null && /* @__PURE__ */ G(ti, {
				text: `×${N(o, 3)}`,
				...e.middle
			}, n);
		})]
	});
});
function Bc(e, t, n, r) {
	return n?.phase === "forward" && n.node === e.to ? "lit" : n?.phase === "backward" && n.node === e.to && n.operand === e.operand ? "back" : r !== null && "edge" in r && r.edge === t ? "pointed" : "";
}
function Vc(e, { scene: t, layout: n, progress: { known: r, step: i }, hovered: a, questions: o, selection: s }) {
	let c = t.nodes[e], l = i?.phase === "backward", u = a !== null && "node" in a ? a.node : null, d = u !== null && n.edges.some(({ from: t, to: n }) => t === u && n === e || n === u && t === e);
	return [
		c.operands.length ? "made" : "leaf",
		e === t.root ? "root" : "",
		r[e] ? "" : "waiting",
		i !== null && !l && i.node === e ? "lit" : "",
		l && i.node === e ? "giver" : "",
		l && i.parent === e ? "back" : "",
		o?.includes(c.name) ? "asked" : "",
		s?.includes(c.name) ? "chosen" : "",
		u === e ? "pointed" : d ? "near" : ""
	];
}
// src/explore/Inputs.tsx
var Hc = 1e6, Uc = W(({ names: e, numbers: t, gradients: n, showGradients: r, onMove: i }) => /* @__PURE__ */ G("ul", {
	class: "inputs",
	"aria-label": "Inputs",
	children: e.map((e) => {
		let a = n.get(e) ?? null, o = a === null || Bi(a) ? "" : me(a);
		return /* @__PURE__ */ G(Kc, {
			name: e,
			x: Object.hasOwn(t, e) ? t[e] : 0,
			gradient: r ? a === null ? "·" : Vi(a) : null,
			sign: o,
			onMove: i
		}, e);
	})
})), Wc = W(({ name: e, x: t, wide: n, onMove: r }) => /* @__PURE__ */ G("input", {
	type: "range",
	min: -n,
	max: n,
	step: n / 200,
	value: String(t),
	"aria-label": `${e}, slider`,
	onInput: (e) => r(Number(e.currentTarget.value))
}));
function Gc(e) {
	let t = Number(e.trim().replace("−", "-"));
	return e.trim() !== "" && Number.isFinite(t) && Math.abs(t) <= Hc ? t : null;
}
function Kc({ name: e, x: t, gradient: n, sign: r, onMove: i }) {
	let [a, o] = B(null), [s, c] = B(10), l = a !== null && Gc(a) === null, u = U((t) => {
		o(null), i(e, t);
	}, [e, i]), d = (t) => {
		let n = Gc(t);
		o(t), n !== null && (c(Math.max(s, Math.abs(n))), i(e, n));
	};
	return /* @__PURE__ */ G("li", {
		class: n === null ? "plain" : "",
		children: [
			/* @__PURE__ */ G("span", {
				class: "name",
				children: e
			}),
			/* @__PURE__ */ G(Wc, {
				name: e,
				x: t,
				wide: Math.max(s, Math.abs(t)),
				onMove: u
			}),
			/* @__PURE__ */ G("input", {
				type: "text",
				inputMode: "decimal",
				class: "number",
				value: a ?? String(Number(t.toPrecision(6))),
				"aria-label": `${e}, number`,
				"aria-invalid": l,
				onInput: (e) => d(e.currentTarget.value),
				onBlur: () => o(null)
			}),
			n !== null && /* @__PURE__ */ G("span", {
				class: `number gradient ${r}`,
				title: `gradient: how fast the result changes with ${e}`,
				children: n
			}),
			l && /* @__PURE__ */ G("p", {
				class: "small wrong",
				role: "alert",
				children: `enter a number from −10⁶ to 10⁶; ${e} stays ${Number(t.toPrecision(6))}`
			})
		]
	});
}
// src/explore/progress.ts
var qc = [
	.5,
	1,
	2,
	4
];
function Jc(e, t) {
	let n = e.nodes.map((e) => e.operands.length === 0), r = e.nodes.map((t) => e.steps.length ? null : t.grad), i = /* @__PURE__ */ new Set();
	for (let a of e.steps.slice(0, t)) a.phase === "forward" ? n[a.node] = !0 : a.phase === "seed" ? r[a.node] = e.nodes[a.node].grad : a.phase === "backward" ? (r[a.parent] = a.after, i.add(`${a.node}.${a.operand}`)) : r[a.node] = a.after;
	return {
		known: n,
		grads: r,
		flows: i,
		step: t > 0 ? e.steps[t - 1] ?? null : null
	};
}
function Yc(e, t, n) {
	return t === 0 ? "nothing to compute" : n === 0 ? `${t} steps` : n <= e ? `forward ${n} of ${e}` : `backward ${n - e} of ${t - e}`;
}
// src/explore/traits.ts
function Q(e, t) {
	let [n, r] = B(() => e.get(t));
	return V(() => {
		let n = () => r(() => e.get(t));
		return n(), e.on(`change:${t}`, n), () => e.off(`change:${t}`, n);
	}, [e, t]), n;
}
function Xc(e, t, n) {
	return [Q(e, t) ?? n, U((n) => {
		e.set(t, n), e.save_changes();
	}, [e, t])];
}
// src/shared/paint.ts
function Zc(e) {
	requestAnimationFrame(() => setTimeout(e));
}
// src/explore/useLater.ts
function Qc(e) {
	let [t, n] = B(e), r = Vr(e), i = Vr(!1);
	r.current = e;
	let a = t.inputs === e.inputs;
	return V(() => {
		if (!(i.current || t === e)) {
			if (!a) return n(e);
			i.current = !0, Zc(() => {
				i.current = !1, n(r.current);
			});
		}
	}, [e, t]), a ? t : e;
}
function $c(e) {
	let [, t] = zr((e, t) => e + 1, 0);
	return V(() => {
		let n = !1, r = () => {
			n || (n = !0, Zc(() => {
				n = !1, t(void 0);
			}));
		};
		return e.on("change:numbers", r), () => e.off("change:numbers", r);
	}, [e]), e.get("numbers") ?? {};
}
// src/explore/useLayout.ts
var el = 40;
function tl(e) {
	let t = Vr(null), [n, r] = B(1e3), i = Vr(null);
	return (i.current?.layout.key !== Mc(e) || i.current.width !== n) && (i.current = {
		layout: Nc(e, n),
		width: n
	}), Br(() => {
		let e = t.current, n = () => e.clientWidth && r(Math.floor(e.clientWidth / el) * el);
		n();
		let i = new ResizeObserver(n);
		return i.observe(e), () => i.disconnect();
	}, []), {
		layout: i.current.layout,
		canvas: t
	};
}
// src/explore/moves.ts
function nl(e, t, n) {
	let { nodes: r, steps: i, explanation: a } = t, o = Math.min(n ?? e.steps.length, e.steps.length) - 1, s = e.steps.length - i.length;
	return {
		...e,
		isOutdated: a === void 0,
		nodes: e.nodes.map((e, t) => ({
			...e,
			data: r[t][0],
			grad: r[t][1],
			math: void 0
		})),
		steps: e.steps.map(({ text: e, math: t, ...n }, r) => {
			let { text: c = "", math: l } = a ?? {
				text: e,
				math: t
			}, u = {
				...n,
				...r === o ? {
					text: c,
					...l ? { math: l } : {}
				} : { text: "" }
			};
			if (r < s) return u;
			let [d, f, p, m, h] = i[r - s];
			return {
				...u,
				local: d,
				incoming: f,
				contribution: p,
				before: m,
				after: h
			};
		})
	};
}
function rl(e, t, n) {
	let r = e.inputs.some((n) => {
		let r = e.nodes.find((e) => e.name === n);
		return r !== void 0 && Object.hasOwn(t, n) && r.data !== t[n];
	}) ? wr(e, t) : void 0;
	return r ? nl(e, r, n) : e;
}
// src/explore/useScene.ts
function il(e) {
	let t = Q(e, "scene"), n = Q(e, "numbers"), r = Q(e, "at");
	return H(() => t && rl(t, n ?? {}, r ?? null), [
		t,
		n,
		r
	]);
}
// src/explore/Compact.tsx
function al({ model: e }) {
	let t = il(e), n = Q(e, "error"), r = Q(e, "notes");
	return /* @__PURE__ */ G("div", {
		class: "explore compact",
		children: [n && /* @__PURE__ */ G("pre", {
			class: "callout",
			role: "alert",
			children: n
		}), t ? /* @__PURE__ */ G(ol, {
			model: e,
			scene: t
		}) : !n && /* @__PURE__ */ G("p", {
			class: "soft",
			children: r || "…"
		})]
	});
}
function ol({ model: e, scene: t }) {
	let n = $c(e), r = Q(e, "at") ?? Infinity, i = Q(e, "gradients") ?? !0, [a, o] = B(null), { layout: s, canvas: c } = tl(t), l = H(() => Jc(t, r), [t, r]), u = Qc(t), d = H(() => {
		let { grads: e } = Jc(u, r);
		return new Map(u.nodes.filter((e) => !e.op).map((t) => [t.name, e[t.index] ?? null]));
	}, [u, r]), f = U((t, n) => {
		e.set("numbers", {
			...e.get("numbers"),
			[t]: n
		}), e.save_changes();
	}, [e]);
	return V(() => {
		window.parent !== window && window.parent.postMessage({ adjoint: "drawn" }, "*");
	}, []), /* @__PURE__ */ G(x, { children: [/* @__PURE__ */ G("div", {
		class: "canvas",
		ref: c,
		children: /* @__PURE__ */ G(zc, {
			scene: t,
			layout: s,
			progress: l,
			showGradients: i,
			hovered: a,
			onHover: o,
			smallest: .5,
			label: "Computation graph; Tab moves through the nodes in evaluation order"
		})
	}), /* @__PURE__ */ G(Uc, {
		names: t.inputs,
		numbers: n,
		gradients: d,
		showGradients: i,
		onMove: f
	})] });
}
// src/shared/math.tsx
var sl = /* @__PURE__ */ new Set([
	"mrow",
	"mi",
	"mn",
	"mo",
	"mtext",
	"mfrac",
	"msup",
	"msub",
	"msqrt",
	"mtable",
	"mtr",
	"mtd"
]);
function cl(e) {
	if (typeof e == "string") return e;
	let [t, ...n] = e;
	return y(sl.has(t) ? t : "mrow", null, ...n.map(cl));
}
function ll(e) {
	let t = [];
	for (let n of dl(e)) {
		let e = t.at(-1);
		!e || ul(n) ? t.push(["mrow", n]) : e.push(n);
	}
	return t;
}
function ul(e) {
	let t = typeof e == "string" ? e : e[0] === "mo" ? e[1] : "";
	return t === "=" || t === "+=";
}
function dl(e) {
	let [t, ...n] = e, r = n.at(-1);
	return t !== "mrow" || r === void 0 ? [e] : typeof r != "string" && r[0] === "mrow" && r.some((e) => Array.isArray(e) && e[0] === "mo" && e[1] === "=") ? [...n.slice(0, -1), ...dl(r)] : n;
}
function fl({ of: e, label: t }) {
	return y("math", {
		xmlns: "http://www.w3.org/1998/Math/MathML",
		...t ? { "aria-label": t } : {}
	}, cl(e));
}
// src/explore/Details.tsx
var pl = "Point at a node to see its value, gradient, derivatives and neighbors, or at an edge to see its local derivative.", ml = W(({ scene: e, layout: t, progress: n, hovered: r, showGradients: i }) => {
	let a = r && "node" in r ? e.nodes[r.node] : void 0, o = r && "edge" in r ? t.edges[r.edge] : void 0;
	return a ? /* @__PURE__ */ G(hl, {
		scene: e,
		layout: t,
		progress: n,
		node: a,
		showGradients: i
	}) : o ? /* @__PURE__ */ G(gl, {
		scene: e,
		progress: n,
		edge: o,
		showGradients: i
	}) : /* @__PURE__ */ G("p", {
		class: "details soft small",
		children: pl
	});
});
function hl({ scene: e, layout: t, progress: n, node: r, showGradients: i }) {
	let a = n.known[r.index] ?? !1, o = e.steps.filter((e) => e.phase === "backward" && e.node === r.index && e.derivative), s = (t) => [...new Set(t)].map((t) => e.nodes[t].name).join(", ") || "none";
	return /* @__PURE__ */ G("div", {
		class: "details",
		"data-testid": "details",
		children: [/* @__PURE__ */ G("h3", { children: r.name }), /* @__PURE__ */ G("dl", { children: [
			/* @__PURE__ */ G($, {
				title: "value",
				children: /* @__PURE__ */ G(vl, { of: a ? r.data : null })
			}),
			i && /* @__PURE__ */ G($, {
				title: "gradient",
				children: /* @__PURE__ */ G(vl, { of: n.grads[r.index] ?? null })
			}),
			/* @__PURE__ */ G($, {
				title: "computed as",
				long: !0,
				children: r.formula ? a && r.math ? /* @__PURE__ */ G(fl, {
					of: r.math,
					label: r.formula
				}) : /* @__PURE__ */ G("code", { children: r.formula }) : "input"
			}),
			o.map((t) => /* @__PURE__ */ G($, {
				title: "derivative",
				long: !0,
				children: /* @__PURE__ */ G(_l, {
					of: r,
					by: e.nodes[t.parent],
					step: t
				})
			}, t.operand)),
			/* @__PURE__ */ G($, {
				title: "operands",
				children: s(t.edges.filter((e) => e.to === r.index).map((e) => e.from))
			}),
			/* @__PURE__ */ G($, {
				title: "used by",
				children: s(t.edges.filter((e) => e.from === r.index).map((e) => e.to))
			})
		] })]
	});
}
function gl({ scene: e, progress: t, edge: n, showGradients: r }) {
	let i = zi(e, n), [a, o] = [e.nodes[n.to], e.nodes[n.from]], s = t.grads[n.to] !== null;
	return /* @__PURE__ */ G("div", {
		class: "details",
		"data-testid": "details",
		children: [/* @__PURE__ */ G("h3", { children: [
			o.name,
			" → ",
			a.name
		] }), /* @__PURE__ */ G("dl", { children: [i && /* @__PURE__ */ G($, {
			title: "local derivative",
			long: !0,
			children: [/* @__PURE__ */ G(_l, {
				of: a,
				by: o,
				step: i
			}), i.local !== null && i.local !== void 0 && /* @__PURE__ */ G("span", {
				class: "number",
				children: [" = ", N(i.local, 6)]
			})]
		}), i && r && /* @__PURE__ */ G(x, { children: [/* @__PURE__ */ G($, {
			title: "incoming gradient",
			long: !0,
			children: /* @__PURE__ */ G(vl, { of: s ? i.incoming ?? null : null })
		}), /* @__PURE__ */ G($, {
			title: `contribution to ${o.name}`,
			long: !0,
			children: /* @__PURE__ */ G(vl, { of: s ? i.contribution ?? null : null })
		})] })] })]
	});
}
function $({ title: e, long: t = !1, children: n }) {
	return /* @__PURE__ */ G(x, { children: [/* @__PURE__ */ G("dt", { children: e }), /* @__PURE__ */ G("dd", {
		class: t ? "long" : "",
		children: n
	})] });
}
function _l({ of: e, by: t, step: n }) {
	return /* @__PURE__ */ G(x, { children: [/* @__PURE__ */ G("span", {
		class: "soft",
		children: [
			"∂",
			e.name,
			"/∂",
			t.name,
			" =",
			" "
		]
	}), n.derivative && /* @__PURE__ */ G(fl, { of: n.derivative })] });
}
function vl({ of: e }) {
	return e === null ? /* @__PURE__ */ G("span", {
		class: "soft",
		children: "not computed yet"
	}) : Bi(e) ? /* @__PURE__ */ G("span", {
		class: "number",
		children: [
			e.shape.join("×"),
			" ",
			e.dtype,
			", ",
			N(e.min, 3),
			" … ",
			N(e.max, 3),
			", mean",
			" ",
			N(e.mean, 3)
		]
	}) : /* @__PURE__ */ G("span", {
		class: "number",
		children: Vi(e, 6)
	});
}
// src/explore/pictures.ts
var yl = [
	"fill",
	"stroke",
	"stroke-width",
	"stroke-dasharray",
	"stroke-opacity",
	"stroke-linecap",
	"opacity",
	"font-family",
	"font-size",
	"font-weight",
	"text-anchor",
	"visibility",
	"display"
];
function bl(e) {
	let t = e.cloneNode(!0), [n, r] = [[e, ...e.querySelectorAll("*")], [t, ...t.querySelectorAll("*")]];
	n.forEach((e, t) => {
		let n = getComputedStyle(e), i = r[t];
		for (let e of yl) i.setAttribute(e, n.getPropertyValue(e));
		for (let e of [
			"class",
			"style",
			"tabindex"
		]) i.removeAttribute(e);
	});
	for (let e of t.querySelectorAll("[fill='none']:is([stroke='none'], [stroke='rgba(0, 0, 0, 0)'])")) e.remove();
	let i = document.createElementNS("http://www.w3.org/2000/svg", "rect");
	return i.setAttribute("width", "100%"), i.setAttribute("height", "100%"), i.setAttribute("fill", getComputedStyle(e.closest(".card") ?? e.closest(".adjoint") ?? e).backgroundColor), t.prepend(i), t.setAttribute("xmlns", "http://www.w3.org/2000/svg"), new XMLSerializer().serializeToString(t);
}
async function xl(e) {
	let { width: t, height: n } = e.viewBox.baseVal, r = new Image();
	r.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(bl(e))}`, await r.decode();
	let i = document.createElement("canvas"), a = Math.min(2, 8e3 / Math.max(t, n));
	return [i.width, i.height] = [Math.ceil(t * a), Math.ceil(n * a)], i.getContext("2d").drawImage(r, 0, 0, i.width, i.height), new Promise((e, t) => i.toBlob((n) => n ? e(n) : t(/* @__PURE__ */ Error("the image is too large"))));
}
function Sl(e, t, n) {
	let r = document.createElement("a");
	r.href = URL.createObjectURL(typeof t == "string" ? new Blob([t], { type: n }) : t), r.download = e, r.click(), setTimeout(() => URL.revokeObjectURL(r.href), 1e4);
}
// src/explore/Exports.tsx
var Cl = {
	adjoint: "adjoint",
	torch: "PyTorch"
}, wl = W(({ model: e, scene: t, picture: n, at: r }) => {
	let [i, a] = B(!1), [o, s] = B(""), c = e.get("kind"), l = (e) => s(e.message), u = (e) => {
		let t = n();
		t && Promise.resolve(e(t)).then(() => s(""), l);
	}, d = (e) => Sl("graph.svg", bl(e), "image/svg+xml"), f = (e) => xl(e).then((e) => Sl("graph.png", e, "image/png"));
	return /* @__PURE__ */ G("section", {
		class: "exports",
		"aria-label": "Export",
		children: [/* @__PURE__ */ G("div", {
			class: "row buttons",
			children: [
				/* @__PURE__ */ G("span", {
					class: "small soft",
					role: "status",
					children: o
				}),
				/* @__PURE__ */ G("button", {
					type: "button",
					onClick: () => u(d),
					children: "SVG"
				}),
				/* @__PURE__ */ G("button", {
					type: "button",
					onClick: () => u(f),
					children: "PNG"
				}),
				c !== "recording" && /* @__PURE__ */ G("button", {
					type: "button",
					onClick: () => Li(e, "export", { at: r }).then(({ html: e }) => Sl("adjoint.html", e, "text/html"), l),
					title: "One HTML file that plays these steps without a server",
					children: "HTML"
				}),
				c === "expression" && /* @__PURE__ */ G("button", {
					type: "button",
					onClick: () => a(!i),
					"aria-expanded": i,
					children: "Copy as Python"
				})
			]
		}), i && /* @__PURE__ */ G(Tl, {
			model: e,
			scene: t,
			onMessage: s
		})]
	});
});
function Tl({ model: e, scene: t, onMessage: n }) {
	let [r, i] = B(null), [a, o] = B("adjoint"), s = Vr("");
	return V(() => {
		let t = !0;
		return Li(e, "program").then((e) => {
			if (!t) return;
			let r = e;
			r.adjoint !== s.current && n(""), s.current = r.adjoint, i(r);
		}, (e) => {
			t && (s.current = "", n(e.message));
		}), () => {
			t = !1;
		};
	}, [e, t]), r ? /* @__PURE__ */ G("div", {
		class: "program",
		children: [/* @__PURE__ */ G("div", {
			class: "row",
			role: "group",
			"aria-label": "Library",
			children: [Object.keys(Cl).map((e) => /* @__PURE__ */ G("button", {
				type: "button",
				"aria-pressed": a === e,
				onClick: () => o(e),
				children: Cl[e]
			}, e)), /* @__PURE__ */ G("button", {
				type: "button",
				onClick: () => navigator.clipboard.writeText(r[a]).then(() => n("copied"), () => n("the browser does not allow copying here; select the text instead")),
				children: "Copy"
			})]
		}), /* @__PURE__ */ G("pre", {
			tabIndex: 0,
			role: "region",
			"aria-label": "Program",
			"data-testid": "program",
			children: r[a]
		})]
	}) : null;
}
// src/explore/Nudge.tsx
var El = W(({ model: e, scene: t }) => {
	let n = t.inputs, [r, i] = Xc(e, "nudge", ""), [a, o] = Xc(e, "h", "0.01"), [s, c] = B(null), [l, u] = B(""), d = n.includes(r) ? r : n[0] ?? "", f = a.trim() !== "" && Number.isFinite(Number(a)) ? Number(a) : null;
	return V(() => {
		if (!d || f === null) return c(null);
		let t = !0, n = setTimeout(() => {
			Li(e, "nudge", {
				name: d,
				h: f
			}).then((e) => {
				t && (c(e), u(""));
			}, (e) => t && u(e.message));
		}, 60);
		return () => {
			t = !1, clearTimeout(n);
		};
	}, [
		e,
		t,
		d,
		f
	]), /* @__PURE__ */ G("section", {
		class: "card nudge",
		"aria-label": "Nudge",
		children: [
			/* @__PURE__ */ G("h3", { children: "Nudge" }),
			/* @__PURE__ */ G("p", {
				class: "soft small",
				children: "A gradient predicts how much the result changes when an input changes a little. The smaller the change, the better the prediction."
			}),
			/* @__PURE__ */ G("div", {
				class: "row",
				children: [/* @__PURE__ */ G("label", {
					class: "row",
					children: ["move", /* @__PURE__ */ G("select", {
						value: d,
						onChange: (e) => i(e.currentTarget.value),
						children: n.map((e) => /* @__PURE__ */ G("option", { children: e }, e))
					})]
				}), /* @__PURE__ */ G("label", {
					class: "row",
					children: ["by", /* @__PURE__ */ G("input", {
						type: "text",
						inputMode: "decimal",
						class: "number",
						size: 6,
						value: a,
						"aria-invalid": f === null,
						onInput: (e) => o(e.currentTarget.value)
					})]
				})]
			}),
			f === null && /* @__PURE__ */ G("p", {
				class: "small wrong",
				children: "enter a number, such as 0.01"
			}),
			l && /* @__PURE__ */ G("p", {
				class: "small wrong",
				children: l
			}),
			s && /* @__PURE__ */ G(Dl, { result: s })
		]
	});
});
function Dl({ result: e }) {
	let [t, n] = [de(e.predicted), de(e.real)], r = Math.abs(n - t), i = Math.max(Math.abs(t), Math.abs(n), 1e-300);
	return /* @__PURE__ */ G("dl", {
		class: "compare",
		"data-testid": "nudge",
		children: [
			/* @__PURE__ */ G("dt", { children: "predicted change" }),
			/* @__PURE__ */ G("dd", {
				class: "number",
				children: N(e.predicted, 5)
			}),
			/* @__PURE__ */ G(Ol, {
				kind: "predicted",
				part: Math.abs(t) / i
			}),
			/* @__PURE__ */ G("dt", { children: "actual change" }),
			/* @__PURE__ */ G("dd", {
				class: "number",
				children: N(e.real, 5)
			}),
			/* @__PURE__ */ G(Ol, {
				kind: "real",
				part: Math.abs(n) / i
			}),
			/* @__PURE__ */ G("dt", { children: "error" }),
			/* @__PURE__ */ G("dd", {
				class: "number",
				children: [
					N(r, 3),
					" ",
					/* @__PURE__ */ G("span", {
						class: "soft",
						children: r <= 1e-12 ? "exact" : Number.isFinite(r) ? `${N(100 * r / i, 2)} %` : ""
					})
				]
			})
		]
	});
}
function Ol({ kind: e, part: t }) {
	return /* @__PURE__ */ G("dd", {
		class: "scale",
		"aria-hidden": "true",
		children: /* @__PURE__ */ G("span", {
			class: `measure ${e}`,
			style: { width: `${Number.isFinite(t) ? 100 * t : 0}%` }
		})
	});
}
// src/shared/icons.tsx
var kl = {
	play: "M7 4.5v15l12-7.5z",
	pause: "M6 4.5h4v15H6zM14 4.5h4v15h-4z",
	forward: "M5 4.5v15l10-7.5zM16.5 4.5h2.6v15h-2.6z",
	back: "M19 4.5v15L9 12zM4.9 4.5h2.6v15H4.9z",
	reset: "M12 5a7 7 0 1 1-6.7 9h2.2A5 5 0 1 0 12 7v3.5L6.5 6 12 1.5z",
	end: "M4 4.5v15l8-7.5zM12 4.5v15l8-7.5z"
};
function Al({ name: e }) {
	return /* @__PURE__ */ G("svg", {
		viewBox: "0 0 24 24",
		"aria-hidden": "true",
		children: /* @__PURE__ */ G("path", { d: kl[e] })
	});
}
// src/explore/Player.tsx
var jl = W(({ forward: e, last: t, at: n, playing: r, speed: i, onGo: a, onStep: o, onPlay: s, onSpeed: c }) => /* @__PURE__ */ G("div", {
	class: "player",
	children: [
		/* @__PURE__ */ G("div", {
			class: "row",
			role: "group",
			"aria-label": "Player",
			children: [
				/* @__PURE__ */ G("button", {
					type: "button",
					class: "icon",
					"aria-label": "Back to the start (R)",
					title: "Back to the start (R)",
					onClick: () => a(0),
					"aria-disabled": n === 0,
					children: /* @__PURE__ */ G(Al, { name: "reset" })
				}),
				/* @__PURE__ */ G("button", {
					type: "button",
					class: "icon",
					"aria-label": "One step back (←)",
					title: "One step back (←)",
					onClick: () => o(-1),
					"aria-disabled": n === 0,
					children: /* @__PURE__ */ G(Al, { name: "back" })
				}),
				/* @__PURE__ */ G("button", {
					type: "button",
					class: "icon main",
					"aria-label": r ? "Pause (Space)" : "Play (Space)",
					title: r ? "Pause (Space)" : "Play (Space)",
					onClick: s,
					"aria-disabled": t === 0,
					children: /* @__PURE__ */ G(Al, { name: r ? "pause" : "play" })
				}),
				/* @__PURE__ */ G("button", {
					type: "button",
					class: "icon",
					"aria-label": "One step forward (→)",
					title: "One step forward (→)",
					onClick: () => o(1),
					"aria-disabled": n === t,
					children: /* @__PURE__ */ G(Al, { name: "forward" })
				}),
				/* @__PURE__ */ G("button", {
					type: "button",
					class: "icon",
					"aria-label": "Jump to the end (End)",
					title: "Jump to the end (End)",
					onClick: () => a(t),
					"aria-disabled": n === t,
					children: /* @__PURE__ */ G(Al, { name: "end" })
				})
			]
		}),
		/* @__PURE__ */ G("div", {
			class: "scrub",
			children: [/* @__PURE__ */ G("input", {
				type: "range",
				min: 0,
				max: t,
				step: 1,
				value: String(n),
				"aria-label": "Step",
				"aria-valuetext": Yc(e, t, n),
				onInput: (e) => a(Number(e.currentTarget.value))
			}), /* @__PURE__ */ G("div", {
				class: "phases small soft",
				"aria-hidden": "true",
				children: [/* @__PURE__ */ G("span", {
					style: { flexGrow: e },
					children: "forward"
				}), /* @__PURE__ */ G("span", {
					style: { flexGrow: Math.max(0, t - e) },
					children: "backward"
				})]
			})]
		}),
		/* @__PURE__ */ G("span", {
			class: "small soft place",
			children: Yc(e, t, n)
		}),
		/* @__PURE__ */ G("label", {
			class: "row small soft",
			children: ["speed", /* @__PURE__ */ G("select", {
				value: String(i),
				onChange: (e) => c(Number(e.currentTarget.value)),
				children: qc.map((e) => /* @__PURE__ */ G("option", {
					value: String(e),
					children: `${e}×`
				}, e))
			})]
		})
	]
})), Ml = "The inputs are given. Press Play, or → for one step. The forward pass computes each operation, then the backward pass applies the chain rule from the result to the inputs.", Nl = 300, Pl = W(({ step: e, at: t, isOutdated: n }) => {
	let [r, i] = B(!1);
	V(() => {
		if (!n) return i(!1);
		let e = setTimeout(() => i(!0), Nl);
		return () => clearTimeout(e);
	}, [n]);
	let a = e === null ? "Start" : {
		forward: "Forward",
		seed: "Backward begins",
		backward: "Backward",
		hook: "Hook"
	}[e.phase];
	return /* @__PURE__ */ G("div", {
		class: `sentence ${e?.phase ?? "begin"} ${r && e ? "outdated" : ""}`,
		children: [
			/* @__PURE__ */ G("h3", { children: e === null ? a : `${a} · step ${t}` }),
			e?.math && /* @__PURE__ */ G("div", {
				class: "formula",
				role: "math",
				"aria-label": e.text,
				children: ll(e.math).map((e, t) => /* @__PURE__ */ G(fl, { of: e }, t))
			}),
			/* @__PURE__ */ G("p", {
				class: e ? "number step-text" : "soft",
				"aria-live": "polite",
				"data-testid": "step-text",
				children: e?.text ?? Ml
			})
		]
	});
});
// src/explore/Explore.tsx
function Fl(e) {
	e.target.setAttribute("data-lm-suppress-shortcuts", "true");
}
function Il({ model: e }) {
	let t = il(e), n = Q(e, "error");
	return /* @__PURE__ */ G("div", {
		class: "explore",
		onFocusIn: Fl,
		children: [e.get("kind") === "expression" && /* @__PURE__ */ G(Ll, {
			model: e,
			error: n
		}), t ? /* @__PURE__ */ G(zl, {
			model: e,
			scene: t
		}) : !n && /* @__PURE__ */ G("p", {
			class: "soft",
			children: "…"
		})]
	});
}
var Ll = W(({ model: e, error: t }) => {
	let n = Q(e, "expression"), r = Q(e, "presets") ?? [], i = Q(e, "notes"), a = (t, n) => {
		e.set("expression", t), n && e.set("numbers", { ...n }), n && e.set("at", null), e.save_changes();
	};
	return /* @__PURE__ */ G("section", {
		class: "expression card",
		"aria-label": "Expression",
		children: [
			/* @__PURE__ */ G("div", {
				class: "box",
				children: [/* @__PURE__ */ G("div", {
					class: "row spread small soft",
					children: [/* @__PURE__ */ G("label", {
						for: "expression-text",
						children: "Expression"
					}), /* @__PURE__ */ G("span", {
						id: "expression-hint",
						children: "A line such as d = a*b names a node."
					})]
				}), /* @__PURE__ */ G("div", {
					class: "growing",
					"data-text": n,
					children: /* @__PURE__ */ G("textarea", {
						id: "expression-text",
						rows: 1,
						spellcheck: !1,
						autocomplete: "off",
						autocapitalize: "off",
						value: n,
						"aria-invalid": !!t,
						"aria-describedby": t ? "expression-error" : "expression-hint",
						onInput: (e) => a(e.currentTarget.value)
					})
				})]
			}),
			/* @__PURE__ */ G("div", {
				class: "row presets",
				role: "group",
				"aria-label": "Examples",
				children: r.map((e) => /* @__PURE__ */ G("button", {
					type: "button",
					class: "chip",
					"aria-pressed": e.expression === n,
					onClick: () => a(e.expression, e.numbers),
					children: e.title
				}, e.title))
			}),
			t && /* @__PURE__ */ G(Rl, { text: t }),
			i && !t && /* @__PURE__ */ G("p", {
				class: "small soft",
				role: "status",
				"data-testid": "notes",
				children: i
			})
		]
	});
});
function Rl({ text: e }) {
	let [t, ...n] = e.split("\n");
	return /* @__PURE__ */ G("pre", {
		id: "expression-error",
		class: "callout",
		role: "alert",
		children: [t, n.length > 0 && /* @__PURE__ */ G(x, { children: ["\n", /* @__PURE__ */ G("code", {
			class: "marked",
			tabIndex: 0,
			children: n.join("\n")
		})] })]
	});
}
function zl({ model: e, scene: t }) {
	let n = $c(e), r = t.steps.length, i = Bl(Q(e, "at"), r), [a, o] = B(!1), [s, c] = Xc(e, "speed", 1), [l, u] = Xc(e, "gradients", !0), [d, f] = B(null), { layout: p, canvas: m } = tl(t), h = H(() => Jc(t, i), [t, i]), g = Qc(t), _ = H(() => g === t ? h : Jc(g, i), [
		g,
		h,
		i
	]), v = H(() => t.steps.filter((e) => e.phase === "forward").length, [t]), y = U(() => Bl(e.get("at"), r), [e, r]), b = U((t) => {
		e.set("at", Math.max(0, Math.min(r, t))), e.save_changes();
	}, [e, r]), x = U((e) => {
		o(!1), b(e);
	}, [b]), S = U((e) => x(y() + e), [x, y]), C = U(() => {
		!a && y() >= r && b(0), o(!a && r > 0);
	}, [
		a,
		y,
		r,
		b
	]);
	V(() => {
		if (!a) return;
		let e = setInterval(() => {
			y() < r && b(y() + 1), y() >= r && o(!1);
		}, 900 / s);
		return () => clearInterval(e);
	}, [
		a,
		s,
		y,
		r,
		b
	]);
	let w = (e) => {
		let t = (t) => e.target instanceof Element && e.target.matches(t);
		if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || t("input, select, textarea, pre") || e.key === " " && t("button")) return;
		let n = {
			" ": C,
			ArrowRight: () => S(1),
			ArrowLeft: () => S(-1),
			r: () => x(0),
			R: () => x(0),
			Home: () => x(0),
			End: () => x(r)
		}[e.key];
		n && (e.preventDefault(), n());
	}, T = Vr(w);
	T.current = w, Br(() => {
		let t = e.get("kind") === "widget" ? m.current.closest(".explore") : document, n = (e) => T.current(e);
		return t.addEventListener("keydown", n), () => t.removeEventListener("keydown", n);
	}, [e]), V(() => {
		let [e, t] = [h.step && p.boxes[h.step.parent ?? h.step.node], m.current];
		if (!e || !t) return;
		let { scrollWidth: n, clientWidth: r, scrollHeight: i, clientHeight: a } = t;
		t.scrollTo({
			left: e.x / p.width * n - r / 2,
			top: e.y / p.height * i - a / 2,
			behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth"
		});
	}, [
		h.step?.phase,
		h.step?.node,
		h.step?.operand,
		p
	]);
	let E = U((t, n) => {
		e.set("numbers", {
			...e.get("numbers"),
			[t]: n
		}), e.save_changes();
	}, [e]), D = H(() => new Map(g.nodes.filter((e) => !e.op).map((e) => [e.name, _.grads[e.index] ?? null])), [g, _]), ee = U(() => m.current?.querySelector("svg") ?? null, []), O = e.get("kind") !== "recording", k = e.get("title");
	return /* @__PURE__ */ G("div", {
		class: `stage ${t.inputs.length > 0 && O ? "live" : ""}`,
		children: [
			k && /* @__PURE__ */ G("h2", {
				class: "stage-title",
				children: k
			}),
			t.inputs.length > 0 && O && /* @__PURE__ */ G("section", {
				class: "card side",
				"aria-label": "Inputs",
				children: [/* @__PURE__ */ G("div", {
					class: "row spread",
					children: [/* @__PURE__ */ G("h3", { children: "Inputs" }), l && /* @__PURE__ */ G("span", {
						class: "small soft",
						children: "gradient"
					})]
				}), /* @__PURE__ */ G(Uc, {
					names: t.inputs,
					numbers: n,
					gradients: D,
					showGradients: l,
					onMove: E
				})]
			}),
			/* @__PURE__ */ G("section", {
				class: "card board",
				"aria-label": "Graph",
				children: [
					/* @__PURE__ */ G(jl, {
						forward: v,
						last: r,
						at: i,
						playing: a,
						speed: s,
						onGo: x,
						onStep: S,
						onPlay: C,
						onSpeed: c
					}),
					/* @__PURE__ */ G("div", {
						class: "step-and-details",
						children: [/* @__PURE__ */ G(Pl, {
							step: _.step,
							at: i > v ? i - v : i,
							isOutdated: g.isOutdated ?? !1
						}), /* @__PURE__ */ G(ml, {
							scene: g,
							layout: p,
							progress: _,
							hovered: d,
							showGradients: l
						})]
					}),
					/* @__PURE__ */ G("div", {
						class: "canvas",
						ref: m,
						children: /* @__PURE__ */ G(zc, {
							scene: t,
							layout: p,
							progress: h,
							showGradients: l,
							hovered: d,
							onHover: f,
							label: "Computation graph; Tab moves through the nodes in evaluation order"
						})
					}),
					/* @__PURE__ */ G("div", {
						class: "row foot",
						children: [/* @__PURE__ */ G("label", {
							class: "row small",
							children: [/* @__PURE__ */ G("input", {
								type: "checkbox",
								checked: l,
								onChange: (e) => u(e.currentTarget.checked)
							}), "show gradients"]
						}), /* @__PURE__ */ G(wl, {
							model: e,
							scene: g,
							at: i,
							picture: ee
						})]
					})
				]
			}),
			t.inputs.length > 0 && O && /* @__PURE__ */ G(El, {
				model: e,
				scene: g
			})
		]
	});
}
function Bl(e, t) {
	return Math.min(e ?? t, t);
}
// src/explore/Still.tsx
function Vl({ scene: e, options: t }) {
	let [n, r] = B(null), { layout: i, canvas: a } = tl(e), { onSelect: o } = t;
	return /* @__PURE__ */ G("div", {
		class: "canvas",
		ref: a,
		children: /* @__PURE__ */ G(zc, {
			scene: e,
			layout: i,
			progress: Jc(e, t.at ?? e.steps.length),
			showGradients: t.showGradients ?? !0,
			hovered: n,
			onHover: r,
			onSelect: o && ((t) => o(e.nodes[t].name)),
			questions: t.questions,
			selection: t.selection,
			label: "Computation graph"
		})
	});
}
// src/explore/index.tsx
function Hl({ model: e, el: t }) {
	return t.closest(".adjoint") || t.classList.add("adjoint"), M(/* @__PURE__ */ G(Il, { model: e }), t), () => M(null, t);
}
function Ul({ model: e, el: t }) {
	return M(/* @__PURE__ */ G(al, { model: e }), t), () => M(null, t);
}
function Wl(e, t, n = {}) {
	return M(/* @__PURE__ */ G(Vl, {
		scene: t,
		options: n
	}), e), () => M(null, e);
}
var Gl = { render: Hl }, Kl = typeof document > "u" ? null : document.getElementById("adjoint-recording");
Kl && Hl({
	model: Ri(JSON.parse(Kl.textContent ?? "")),
	el: document.getElementById("explore")
});
export { Cr as TABLE, Ul as compact, Gl as default, wr as evaluate, rl as moveScene, Wl as still, nl as withNumbers };
