// node_modules/preact/dist/preact.mjs
var e, t, n, r, i, a, o, s, c, l, u = Symbol.for("pv"), d = {}, f = [], p = /^m(i|n|o|s|text|space)$/, m = Array.isArray, h = f.slice, g = Object.assign;
function _(e) {
	e && e.parentNode && e.remove();
}
function v(e, t, n) {
	var r, i, a, o = {}, s = arguments.length;
	for (a in t) a == "key" ? r = t[a] : a == "ref" && typeof e != "function" ? i = t[a] : o[a] = t[a];
	return s > 2 && (o.children = s > 3 ? h.call(arguments, 2) : n), y(e, o, r, i, null);
}
function y(n, r, i, a, o) {
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
		constructor: u,
		__v: o || ++t,
		__i: -1,
		__u: 0
	};
	return !o && e.vnode && e.vnode(s), s;
}
function b(e) {
	return e.children;
}
function x(e, t) {
	this.props = e, this.context = t, this.__g = 0;
}
function S(e, t) {
	if (t == null) return e.__ && S(e.__, e.__i + 1);
	for (var n; t < e.__k.length; t++) if ((n = e.__k[t]) && n.__e) return n.__e;
	return typeof e.type != "function" || e.props.__P ? null : S(e);
}
function C(t) {
	var n, r = t.__v, i = r.__e, a = [], o = [], s = t.__P;
	s && ((n = g({ constructor: u }, r)).__v = r.__v + 1, e.vnode && e.vnode(n), j(s, n, r, t.__n, s.namespaceURI, 32 & r.__u ? [i] : null, a, i || S(r), 32 & r.__u, o), n.__v = r.__v, n.__.__k[n.__i] = n, ae(a, n, o), r.__ = r.__e = null, n.__e != i && w(n));
}
function w(e) {
	if ((e = e.__) && e.__c && !e.props.__P) return e.__e = null, e.__k.some(function(t) {
		return t && (e.__e = t.__e);
	}), w(e);
}
function T(t) {
	(8 & t.__g || (t.__g |= 8, n.push(t), i++)) && r == e.debounceRendering || ((r = e.debounceRendering) || queueMicrotask)(E);
}
function E() {
	try {
		for (var e, t = 1; n.length;) n.length > t && n.sort(a), e = n.shift(), t = n.length, 8 & e.__g && C(e);
	} finally {
		(i = n.length) && (r || queueMicrotask)(E);
	}
}
function ee(e, t, n, r, i, a, o, s, c, l, u) {
	var p, m, h, g, _, v, y = r.__k || f, b = t.length;
	for (c = D(n, t, y, c, b), p = 0; p < b; p++) (h = n.__k[p]) != null && (m = ~h.__i && y[h.__i] || d, h.__i = p, v = j(e, h, m, i, a, o, s, c, l, u), g = h.__e, (m.ref != h.ref || 8 & m.__u) && (m.ref && M(m.ref, null, h, m), h.ref && u.push(h.ref, h.__c || g, h)), _ ||= g, 4 & h.__u ? (c = O(h, c, e, !m.__v), m.__e && (m.__e = null)) : typeof h.type == "function" && v !== void 0 ? c = v : g && (c = g.nextSibling), h.__u &= -21);
	return n.__e = _, c;
}
function D(e, t, n, r, i) {
	var a, o, s, c, l, d, f, p, h, g = n.length, _ = g, v = 0, x = 0, C = e.__k = Array(i);
	for (a = 0; a < i; a++) (o = t[a]) != null && typeof o != "boolean" && typeof o != "function" ? (typeof o != "object" || o.constructor === String ? o = C[a] = y(null, o) : m(o) ? o = C[a] = y(b, { children: o }) : o.constructor === u && o.__b ? o = C[a] = y(o.type, o.props, o.key, o.ref, o.__v) : C[a] = o, c = a + v, o.__ = e, o.__b = e.__b + 1, s = null, ~(l = o.__i = k(o, n, c, _)) && (_--, (s = n[l]) && (s.__u |= 2)), s && s.__v ? (o.__u |= 16, l == c - 1 ? v-- : l == c + 1 ? v++ : l != c && (l > c ? v-- : v++, x = 1)) : (~l || (i > g ? v-- : i < g && v++), typeof o.type != "function" && (o.__u |= 4))) : C[a] = null;
	if (x) {
		for (d = [], f = [], a = 0; a < i; a++) if ((o = C[a]) && 16 & o.__u) {
			for (v = 0, p = d.length; v < p;) d[h = v + p >> 1] < o.__i ? v = h + 1 : p = h;
			d[v] = o.__i, f[a] = v + 1;
		}
		for (v = d.length; a--;) f[a] && (f[a] == v ? v-- : C[a].__u |= 4);
	}
	if (_) for (a = 0; a < g; a++) !(s = n[a]) || 2 & s.__u || (s.__e == r && (r = S(s)), se(s, s));
	return r;
}
function O(e, t, n, r) {
	var i, a, o, s;
	if (typeof e.type == "function") {
		if (e.props.__P) return t;
		if (i = e.__k) for (a = 0; a < i.length; a++) i[a] && (i[a].__ = e, t = O(i[a], t, n, !1));
		return t;
	}
	for (t && !t.parentNode && (t = S(e)) && !t.parentNode && (t = null), o = e.__e, s = t; s && s.nodeType == 8;) s = s.nextSibling;
	for (o != s && (!r && n.moveBefore && o.parentNode ? n.moveBefore(o, t) : n.insertBefore(o, t || null)), t = o; (t &&= t.nextSibling) && t.nodeType == 8 && !t.data.startsWith("$s"););
	return t;
}
function k(e, t, n, r) {
	var i, a = e.key, o = e.type, s = t[n], c = s && !(2 & s.__u);
	if (s === null && a == null || c && a == s.key && o == s.type) return n;
	if (r > +!!c) {
		for (i = n - 1; i >= 0; i--) if ((s = t[i]) && !(2 & s.__u) && a == s.key && o == s.type) return i;
		for (i = n + 1; i < t.length; i++) if ((s = t[i]) && !(2 & s.__u) && a == s.key && o == s.type) return i;
	}
	return -1;
}
function te(e, t, n) {
	n ??= "", t[0] == "-" ? e.setProperty(t, n) : e[t] = n;
}
function A(e, t, n, r, i) {
	var a, o;
	if (t == "style") {
		if (typeof n == "string") e.style.cssText = n;
		else {
			if (typeof r == "string" && (e.style.cssText = r = ""), r) for (t in r) n && t in n || te(e.style, t);
			if (n) for (t in n) r && n[t] == r[t] || te(e.style, t, n[t]);
		}
	} else if (t[0] == "o" && t[1] == "n") typeof n != "function" && (n = null), typeof r != "function" && (r = null), (e.__e ||= {})[t] = n, n && r || (o = l[t] || (l[t] = ne(t)), (e.__a ||= {})[t] = c, a = t != (t = t.replace(s, "$1")), (t = t.slice(2))[0] < "a" && (t = t.toLowerCase()), n ? e.addEventListener(t, o, a) : e.removeEventListener(t, o, a));
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
function ne(t) {
	return function(n) {
		var r = this.__e;
		if (r) {
			if (r = r[t], n[o] == null) n[o] = c++;
			else if (n[o] < this.__a[t]) return;
			return r(e.event ? e.event(n) : n);
		}
	};
}
function j(t, n, r, i, a, o, s, c, l, d) {
	var p, h, v, y, C, w, T, E, D, O, k, te, A, ne, j, ae, M, N, P = n.type;
	if (n.constructor !== u) return null;
	128 & r.__u && (l = 32 & r.__u, p = r.__c.__z) && (n.__u |= l, h = o = [], p.nodeType == 8 ? c = re(p, o) : o.push(p), c = o[0] || c), (p = e.__b) && p(n);
	n: if (typeof P == "function") {
		v = s.length;
		try {
			if (E = n.props, D = (p = P.prototype) && p.render, O = (p = P.contextType) && i[p.__c], k = p ? O ? O.props.value : p.__ : i, (y = r.__c) ? (n.__c = y, 2 & y.__g && (y.__g |= 1)) : (D ? n.__c = y = new P(E, k) : (n.__c = y = new x(E, k), y.constructor = P, y.render = ce), O && O.sub(y), y.state || (y.state = {}), y.__n = i, y.__g |= 8, y.__h = [], y.__k = []), D && (y.__s || (y.__s = y.state), P.getDerivedStateFromProps && (y.__s == y.state && (y.__s = g({}, y.__s)), g(y.__s, P.getDerivedStateFromProps(E, y.__s)))), C = y.props, w = y.state, y.__v = n, r.__c) {
				if (E !== C && D && !P.getDerivedStateFromProps && y.componentWillReceiveProps && y.componentWillReceiveProps(E, k), n.__v == r.__v && !(8 & y.__g) || !(4 & y.__g) && y.shouldComponentUpdate && !1 === y.shouldComponentUpdate(E, y.__s, k)) {
					n.__v != r.__v && (y.props = E, y.state = y.__s, y.__g &= -9), n.__e = r.__e, n.__k = r.__k, n.__k.some(function(e) {
						e && (e.__ = n);
					}), f.push.apply(y.__h, y.__k), y.__k = [], y.__h.length && s.push(y), c = S(r);
					break n;
				}
				y.componentWillUpdate && y.componentWillUpdate(E, y.__s, k), D && y.componentDidUpdate && y.__h.push(function() {
					y.componentDidUpdate(C, w, T);
				});
			} else D && !P.getDerivedStateFromProps && y.componentWillMount && y.componentWillMount(), D && y.componentDidMount && y.__h.push(y.componentDidMount);
			y.context = k, y.props = E, y.__P = t, y.__g &= -5, te = e.__r, A = D ? 25 : 0;
			do
				y.__g &= -9, te && te(n), p = y.render(y.props, y.state = y.__s, y.context);
			while (8 & y.__g && ++A < 25);
			D && (f.push.apply(y.__h, y.__k), y.__k = []), y.state = y.__s, y.getChildContext && (i = g({}, i, y.getChildContext())), D && r.__c && y.getSnapshotBeforeUpdate && (T = y.getSnapshotBeforeUpdate(C, w)), ne = p && p.type === b && p.key == null ? p.props.children : p, E.__P && (p = c, a = (t = E.__P).namespaceURI, l = o = null, r.props && r.props.__P != t && (r.__k.some(function(e) {
				e && se(e, e);
			}), r.__k = null), c = r.__k ? S(r, 0) : null), c = ee(t, m(ne) ? ne : [ne], n, r, i, a, o, s, c, l, d), E.__P && (n.__e = null, c = p), n.__u &= -161, h && h.some(_), y.__h.length && s.push(y), 1 & y.__g && (y.__g &= -4);
		} catch (t) {
			if (s.length = v, n.__v = null, l || o) {
				if (t && t.then) {
					if (n.__u |= 128 | l, o) {
						for (~(M = o.indexOf(c || void 0)) || (M = o.length); (N = o[M - 1]) && N.nodeType == 8;) M--;
						for (; M < o.length; M++) if (N = o[M]) {
							if (o[M] = null, j) {
								if (N == ae) break;
							} else {
								if (N.nodeType != 8) break;
								N.data.startsWith("$s") && (ae = re(j = N));
							}
						}
					}
					if (!j) {
						for (; c && c.nodeType == 8 && c.nextSibling;) c = c.nextSibling;
						j = c;
					}
					(p = re(j = n.__c.__z || (n.__c.__z = j))) ? (n.__e = j, c = p) : n.__e = c, c &&= c.nextSibling;
				} else o && o.some(_);
			} else n.__e = r.__e;
			n.__k ||= r.__k || [], t && t.then || ie(n), e.__e(t, n, r);
		}
	} else c = n.__e = oe(r.__e, n, r, i, a, o, s, l, d, t);
	return (p = e.diffed) && p(n), c;
}
function re(e, t) {
	if (e && e.nodeType == 8 && e.data.startsWith("$s")) for (var n = 1; e = e.nextSibling;) {
		if (e.nodeType == 8) {
			if (e.data.startsWith("$s")) n++;
			else if (e.data.startsWith("/$s") && !--n) return e;
		}
		t && t.push(e);
	}
}
function ie(e) {
	e && (e.__c && (e.__c.__g |= 4), e.__k && e.__k.some(ie));
}
function ae(t, n, r) {
	for (var i = 0; i < r.length;) M(r[i++], r[i++], r[i++]);
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
function oe(t, n, r, i, a, o, s, c, l, u) {
	var f, g, v, y, b, x, C, w, T = r.props || d, E = n.props, D = n.type;
	if (D == "svg" ? a = "http://www.w3.org/2000/svg" : D == "math" ? a = "http://www.w3.org/1998/Math/MathML" : a ||= "http://www.w3.org/1999/xhtml", o) {
		for (f = 0; f < o.length; f++) if ((b = o[f]) && (D ? b.localName == D : b.nodeType == 3)) {
			t = b, o[f] = null;
			break;
		}
	}
	if (!t) {
		if (w = u.ownerDocument || document, !D) return w.createTextNode(E);
		t = w.createElementNS(a, D, E.is ? E : u), c &&= (e.__m && e.__m(n, o), !1), o = null;
	}
	if (D) {
		if (u = D == "template" && t.content || t, o = D == "textarea" && E.defaultValue != null ? null : o && h.call(u.childNodes), !c && o) for (T = {}, f = 0; f < t.attributes.length; f++) T[(b = t.attributes[f]).name] = b.value;
		for (f in T) b = T[f], f == "dangerouslySetInnerHTML" ? v = b : f == "children" || f in E || f == "value" && "defaultValue" in E || f == "checked" && "defaultChecked" in E || A(t, f, null, b, a);
		for (f in E) b = E[f], f == "children" ? y = b : f == "dangerouslySetInnerHTML" ? g = b : f == "value" ? x = b : f == "checked" ? C = b : c && typeof b != "function" || T[f] === b || A(t, f, b, T[f], a);
		g ? (c || v && (g.__html == v.__html || g.__html == t.innerHTML) || (t.innerHTML = g.__html), n.__k = []) : (v && (t.textContent = ""), (D == "foreignObject" || a == "http://www.w3.org/1998/Math/MathML" && p.test(D)) && (a = "http://www.w3.org/1999/xhtml"), ee(u, m(y) ? y : [y], n, r, i, a, o, s, o ? o[0] : r.__k && S(r, 0), c, l), o && o.some(_)), c && D != "textarea" || (f = "value", D == "progress" && x == null ? t.removeAttribute(f) : x == null || x === t[f] && (D != "progress" || x) || A(t, f, x, T[f], a), f = "checked", C != null && C != t[f] && A(t, f, C, T[f], a));
	} else T === E || c && t.data == E || (t.data = E);
	return t;
}
function M(t, n, r, i) {
	try {
		typeof t == "function" ? n ? n.__x = t(n) || 1 : (i &&= i.__c || i.__e) && (n = i.__x) && (i.__x = null, typeof n == "function" ? n() : t(null)) : t.current = n;
	} catch (t) {
		e.__e(t, r);
	}
}
function se(t, n, r) {
	var i, a, o, s;
	if (e.unmount && e.unmount(t), !(i = t.ref) || i.current && i.current != t.__e || M(i, null, n, t), i = t.__c) {
		if (i.componentWillUnmount) try {
			i.componentWillUnmount();
		} catch (t) {
			e.__e(t, n);
		}
		i.__P = i.__n = null;
	}
	if (i = t.__k) for (s = 0; s < i.length; s++) i[s] && se(i[s], n, typeof t.type != "function" || r && !t.props.__P);
	!r && (i = t.__c) && (i = i.__z) && (a = re(i, o = [])) && (i == t.__e && o.some(_), _(a), _(i)), r || _(t.__e), t.__e = t.__c = t.__ = null;
}
function ce(e, t, n) {
	return this.constructor(e, n);
}
function N(t, n) {
	var r, i, a, o;
	e.__ && e.__(t, n), n.nodeType == 9 && (n = n.documentElement), i = (r = t && 32 & t.__u) ? null : n.__k, n.__k = y(b, { children: [t] }), a = [], o = [], j(n, n.__k, i || d, d, n.namespaceURI, i ? null : n.firstChild ? h.call(n.childNodes) : null, a, i ? i.__e : n.firstChild, r, o), ae(a, n.__k, o), n.__k.props.children = null;
}
e = { __e: function(e, t, n, r) {
	for (var a, o, s; t = t.__;) if ((a = t.__c) && !(1 & a.__g)) {
		a.__g |= 4;
		try {
			if ((s = (o = a.constructor) && o.getDerivedStateFromError) && a.setState(o.getDerivedStateFromError(e)), a.componentDidCatch && (a.componentDidCatch(e, r || {}), s = 1), s && 8 & a.__g) return void (a.__g |= 2);
		} catch (t) {
			e = t;
		}
	}
	throw i = 0, e;
} }, t = 0, x.prototype.setState = function(e, t) {
	var n = this.__s;
	n && n != this.state || (n = this.__s = g({}, this.state)), typeof e == "function" && (e = e(g({}, n), this.props)), e && (g(n, e), this.__v && (t && this.__k.push(t), T(this)));
}, x.prototype.forceUpdate = function(e) {
	this.__v && (this.__g |= 4, e && this.__h.push(e), T(this));
}, x.prototype.render = b, n = [], i = 0, a = function(e, t) {
	return e.__v.__b - t.__v.__b;
}, o = Symbol(), s = /(PointerCapture)$|Capture$/i, c = 0, l = {};
// node_modules/preact/hooks/dist/hooks.mjs
var P, F, le, ue, de = Object.is, fe = 0, pe = [], me = [], I = e, he = I.__b, ge = I.__r, _e = I.diffed, ve = I.__c, ye = I.unmount, be = I.__;
function xe(e, t) {
	I.__h && I.__h(F, e, fe || t), fe = 0;
	var n = F.__H || (F.__H = {
		__: [],
		__h: []
	});
	return e >= n.__.length && n.__.push({}), n.__[e];
}
function L(e) {
	return fe = 1, Se(je, e);
}
function Se(e, t, n) {
	var r = xe(P++, 2);
	if (r.t = e, !r.__c && (r.__ = [n ? n(t) : je(void 0, t), function(e) {
		var t = (r.__N || r.__)[0], n = r.t(t, e);
		de(t, n) || (r.__N = [n, r.__[1]], r.__c.setState({}));
	}], r.__c = F, !F.__f)) {
		F.__f = !0;
		var i = F.shouldComponentUpdate;
		F.shouldComponentUpdate = function(e, t, n) {
			var r = this.__H;
			if (!r) return !0;
			var a = !1, o = this.props != e;
			if (r.__.some(function(e) {
				e.__N && (a = !0, de(e.__[0], e.__N[0]) || (o = !0));
			}), i) {
				var s = i.call(this, e, t, n);
				return a ? s || o : s;
			}
			return !a || o;
		};
	}
	return r.__;
}
function R(e, t) {
	var n = xe(P++, 3);
	!I.__s && Ae(n.__H, t) && (n.__P = !0, n.__ = e, n.u = t, F.__H.__h.push(n));
}
function Ce(e, t) {
	var n = xe(P++, 4);
	!I.__s && Ae(n.__H, t) && (n.__P = !1, n.__ = e, n.u = t, F.__h.push(n));
}
function we(e) {
	return fe = 5, z(function() {
		return { current: e };
	}, []);
}
function z(e, t) {
	var n = xe(P++, 7);
	return Ae(n.__H, t) && (n.__ = e(), n.__H = t), n.__;
}
function B(e, t) {
	return fe = 8, z(function() {
		return e;
	}, t);
}
function Te() {
	var e;
	do {
		for (; e = me.shift();) try {
			V(e);
		} catch (t) {
			I.__e(t, { __: (e = e.__P) && e.__v });
		}
		for (; e = pe.shift();) {
			var t = e.__H;
			if (e.__P && t) try {
				t.__h.some(V), t.__h.some(ke), t.__h = [];
			} catch (n) {
				t.__h = [], I.__e(n, e.__v);
			}
		}
	} while (me.length);
}
I.__b = function(e) {
	F = null, he && he(e);
}, I.__ = function(e, t) {
	e && t.__k && t.__k.__m && (e.__m = t.__k.__m), be && be(e, t);
}, I.__r = function(e) {
	ge && ge(e), P = 0;
	var t = (F = e.__c).__H;
	t && (le == F ? F.__h = [] : (t.__h.some(V), t.__h.some(ke), P = 0), t.__h = [], t.__.some(function(e) {
		e.__N && (e.__ = e.__N), e.u = e.__N = void 0;
	})), le = F;
}, I.diffed = function(e) {
	_e && _e(e);
	var t = e.__c;
	t && t.__H && (t.__H.__h.length && Oe(pe.push(t)), t.__H.__.some(function(e) {
		e.u && (e.__H = e.u);
	})), le = F = null;
}, I.__c = function(e, t) {
	t.some(function(e) {
		try {
			e.__h.some(V), e.__h = e.__h.filter(function(e) {
				return !e.__ || ke(e);
			});
		} catch (t) {
			e.__h = [function() {
				throw t;
			}];
		}
	}), ve && ve(e, t);
}, I.unmount = function(e) {
	ye && ye(e);
	var t, n, r = e.__c;
	r && r.__H && (r.__H.__.some(function(r) {
		try {
			if (r.__P && r.__c) {
				if (n === void 0) {
					for (n = e.__; n && (!n.__c || !n.__c.__P);) n = n.__;
					n &&= n.__c;
				}
				r.__P = n, Oe(me.push(r));
			} else V(r);
		} catch (e) {
			t = e;
		}
	}), r.__H = void 0, t && I.__e(t, r.__v));
};
var Ee = typeof requestAnimationFrame == "function";
function De(e) {
	var t, n = function() {
		clearTimeout(r), Ee && cancelAnimationFrame(t), setTimeout(e);
	}, r = setTimeout(n, 35);
	Ee && (t = requestAnimationFrame(n));
}
function Oe(e) {
	e != 1 && ue == I.requestAnimationFrame || ((ue = I.requestAnimationFrame) || De)(Te);
}
function V(e) {
	var t = F, n = e.__c;
	typeof n == "function" && (e.__c = void 0, n()), F = t;
}
function ke(e) {
	var t = F;
	e.__c = e.__(), F = t;
}
function Ae(e, t) {
	return !e || e.length != t.length || t.some(function(t, n) {
		return !de(t, e[n]);
	});
}
function je(e, t) {
	return typeof t == "function" ? t(e) : t;
}
// src/math.tsx
var Me = /* @__PURE__ */ new Set([
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
function Ne(e) {
	if (typeof e == "string") return e;
	let [t, ...n] = e;
	return v(Me.has(t) ? t : "mrow", null, ...n.map(Ne));
}
function Pe(e) {
	let t = [];
	for (let n of Fe(e)) t.length === 0 || /^\+?=$/.test(typeof n == "string" ? n : n[0] === "mo" ? String(n[1]) : "") ? t.push(["mrow", n]) : t[t.length - 1].push(n);
	return t;
}
function Fe(e) {
	let [t, ...n] = e, r = n[n.length - 1];
	return t !== "mrow" || r === void 0 ? [e] : typeof r != "string" && r[0] === "mrow" && r.some((e) => Array.isArray(e) && e[0] === "mo" && e[1] === "=") ? [...n.slice(0, -1), ...Fe(r)] : n;
}
function Ie({ of: e, label: t }) {
	return v("math", {
		xmlns: "http://www.w3.org/1998/Math/MathML",
		...t ? { "aria-label": t } : {}
	}, Ne(e));
}
// src/numbers.ts
function Le(e) {
	return e == null ? NaN : Number(e);
}
var Re = {
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
function H(e, t = 4) {
	let n = Le(e);
	if (Number.isNaN(n)) return e === "NaN" ? "NaN" : "–";
	if (!Number.isFinite(n)) return n > 0 ? "∞" : "−∞";
	let r = Math.abs(n);
	if (r !== 0 && (r < 1e-4 || r >= 1e6)) {
		let [e = "0", r = "0"] = n.toExponential(Math.max(0, t - 2)).split("e"), i = String(Number(r)).replace(/./g, (e) => Re[e] ?? e);
		return `${Number(e)}·10${i}`.replace("-", "−");
	}
	return String(Number(n.toPrecision(t))).replace("-", "−");
}
function ze(e) {
	let t = Le(e);
	return t < 0 ? "negative" : t > 0 ? "positive" : "";
}
// src/explore/memo.ts
function Be(e) {
	return class extends x {
		shouldComponentUpdate(e) {
			return Object.keys({
				...this.props,
				...e
			}).some((t) => e[t] !== this.props[t]);
		}
		render() {
			return e(this.props);
		}
	};
}
// node_modules/preact/jsx-runtime/dist/jsxRuntime.mjs
var Ve = Symbol.for("pv"), He = 0;
Array.isArray;
function U(t, n, r, i, a, o) {
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
		constructor: Ve,
		__v: --He,
		__i: -1,
		__u: 0
	};
	return (a || o) && (u.__source = a, u.__self = o), e.vnode && e.vnode(u), u;
}
// src/explore/Boxes.tsx
function Ue(e, t) {
	return e.length > t ? `${e.slice(0, t - 1)}…` : e;
}
var We = Be(({ index: e, name: t, formula: n, sign: r, x: i, y: a, width: o, height: s, classes: c, spoken: l, data: u, grad: d, gradientSign: f, bar: p, onPoint: m, onChoose: h }) => {
	let [g, _] = [-o / 2, -s / 2], v = Ue(r, 8), y = Math.max(24, 12 + 7 * v.length);
	return /* @__PURE__ */ U("g", {
		class: c,
		transform: `translate(${i},${a})`,
		tabindex: 0,
		role: h ? "button" : "img",
		"aria-label": l,
		"data-node": t,
		onPointerEnter: () => m({ node: e }),
		onFocus: () => m({ node: e }),
		onBlur: () => m(null),
		onClick: () => h?.(e),
		onKeyDown: (t) => {
			h && (t.key === "Enter" || t.key === " ") && (t.preventDefault(), t.stopPropagation(), h(e));
		},
		children: [
			/* @__PURE__ */ U("rect", {
				class: "focus",
				x: g - 4,
				y: _ - 4,
				width: o + 8,
				height: s + 8,
				rx: 13
			}),
			/* @__PURE__ */ U("rect", {
				class: "box",
				x: g,
				y: _,
				width: o,
				height: s,
				rx: 10
			}),
			r && /* @__PURE__ */ U("g", {
				class: "op",
				transform: `translate(${g + 12},${_ + 11})`,
				children: [
					/* @__PURE__ */ U("title", { children: n }),
					/* @__PURE__ */ U("rect", {
						x: -7,
						y: -7,
						width: y,
						height: 18,
						rx: 9
					}),
					/* @__PURE__ */ U("text", {
						x: -7 + y / 2,
						y: 6,
						"text-anchor": "middle",
						children: v
					})
				]
			}),
			/* @__PURE__ */ U("text", {
				class: "name",
				x: -g - 10,
				y: _ + 18,
				"text-anchor": "end",
				children: Ue(t, 10)
			}),
			/* @__PURE__ */ U("text", {
				class: "key",
				x: g + 9,
				y: _ + 39,
				children: "value"
			}),
			/* @__PURE__ */ U("text", {
				class: "data",
				x: -g - 9,
				y: _ + 39,
				"text-anchor": "end",
				children: u
			}),
			d !== null && /* @__PURE__ */ U(b, { children: [
				/* @__PURE__ */ U("text", {
					class: "key",
					x: g + 9,
					y: _ + 56,
					children: "grad"
				}),
				/* @__PURE__ */ U("text", {
					class: `grad ${f}`,
					x: -g - 9,
					y: _ + 56,
					"text-anchor": "end",
					children: d
				}),
				p > 0 && /* @__PURE__ */ U("rect", {
					class: `bar ${f}`,
					x: g + 2,
					y: -_ - 4,
					width: p,
					height: 3,
					rx: 1.5
				})
			] })
		]
	});
}), Ge = Be(({ index: e, path: t, classes: n, flow: r, flowSign: i, onPoint: a }) => /* @__PURE__ */ U("g", {
	class: n,
	children: [
		r && /* @__PURE__ */ U("path", {
			class: `flow ${i}`,
			d: t,
			style: { strokeWidth: r }
		}),
		/* @__PURE__ */ U("path", {
			class: "line",
			d: t
		}),
		/* @__PURE__ */ U("path", {
			class: "touch",
			d: t,
			onPointerEnter: () => a({ edge: e })
		})
	]
}));
function Ke({ text: e, x: t, y: n }) {
	return /* @__PURE__ */ U("g", {
		class: "local",
		transform: `translate(${t},${n})`,
		children: [/* @__PURE__ */ U("rect", {
			x: -(8 + 3.8 * e.length),
			y: -10,
			width: 16 + 7.6 * e.length,
			height: 20,
			rx: 10
		}), /* @__PURE__ */ U("text", {
			"text-anchor": "middle",
			y: 4,
			children: e
		})]
	});
}
// node_modules/@dagrejs/dagre/dist/dagre.esm.js
var qe = Object.defineProperty, Je = (e, t, n) => t in e ? qe(e, t, {
	enumerable: !0,
	configurable: !0,
	writable: !0,
	value: n
}) : e[t] = n, Ye = (e, t) => {
	for (var n in t) qe(e, n, {
		get: t[n],
		enumerable: !0
	});
}, Xe = (e, t, n) => Je(e, typeof t == "symbol" ? t : t + "", n), Ze = {};
Ye(Ze, {
	Graph: () => W,
	alg: () => ut
});
var Qe = Object.defineProperty, $e = (e, t) => {
	for (var n in t) Qe(e, n, {
		get: t[n],
		enumerable: !0
	});
}, et = class {
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
		let l = rt(this._isDirected, i, a, o);
		if (l in this._edgeLabels) return c && (this._edgeLabels[l] = s), this;
		if (o !== void 0 && !this._isMultigraph) throw Error("Cannot set a named edge when isMultigraph = false");
		this.setNode(i), this.setNode(a), this._edgeLabels[l] = c ? s : this._defaultEdgeLabelFn(i, a, o);
		let u = it(this._isDirected, i, a, o);
		return i = u.v, a = u.w, Object.freeze(u), this._edgeObjs[l] = u, tt(this._preds[a], i), tt(this._sucs[i], a), this._in[a][l] = u, this._out[i][l] = u, this._edgeCount++, this;
	}
	edge(e, t, n) {
		let r = arguments.length === 1 ? at(this._isDirected, e) : rt(this._isDirected, e, t, n);
		return this._edgeLabels[r];
	}
	edgeAsObj(e, t, n) {
		let r = arguments.length === 1 ? this.edge(e) : this.edge(e, t, n);
		return typeof r != "object" || !r ? { label: r } : r;
	}
	hasEdge(e, t, n) {
		return (arguments.length === 1 ? at(this._isDirected, e) : rt(this._isDirected, e, t, n)) in this._edgeLabels;
	}
	removeEdge(e, t, n) {
		let r = arguments.length === 1 ? at(this._isDirected, e) : rt(this._isDirected, e, t, n), i = this._edgeObjs[r];
		if (i) {
			let e = i.v, t = i.w;
			delete this._edgeLabels[r], delete this._edgeObjs[r], nt(this._preds[t], e), nt(this._sucs[e], t), delete this._in[t][r], delete this._out[e][r], this._edgeCount--;
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
function tt(e, t) {
	e[t] ? e[t]++ : e[t] = 1;
}
function nt(e, t) {
	e[t] !== void 0 && !--e[t] && delete e[t];
}
function rt(e, t, n, r) {
	let i = "" + t, a = "" + n;
	if (!e && i > a) {
		let e = i;
		i = a, a = e;
	}
	return i + "" + a + "" + (r === void 0 ? "\0" : r);
}
function it(e, t, n, r) {
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
function at(e, t) {
	return rt(e, t.v, t.w, t.name);
}
$e({}, {
	read: () => lt,
	write: () => ot
});
function ot(e) {
	let t = {
		options: {
			directed: e.isDirected(),
			multigraph: e.isMultigraph(),
			compound: e.isCompound()
		},
		nodes: st(e),
		edges: ct(e)
	}, n = e.graph();
	return n !== void 0 && (t.value = structuredClone(n)), t;
}
function st(e) {
	return e.nodes().map((t) => {
		let n = e.node(t), r = e.parent(t), i = { v: t };
		return n !== void 0 && (i.value = n), r !== void 0 && (i.parent = r), i;
	});
}
function ct(e) {
	return e.edges().map((t) => {
		let n = e.edge(t), r = {
			v: t.v,
			w: t.w
		};
		return t.name !== void 0 && (r.name = t.name), n !== void 0 && (r.value = n), r;
	});
}
function lt(e) {
	let t = new et(e.options);
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
var ut = {};
$e(ut, {
	CycleException: () => Tt,
	bellmanFord: () => ft,
	components: () => mt,
	dijkstra: () => _t,
	dijkstraAll: () => yt,
	findCycles: () => xt,
	floydWarshall: () => Ct,
	isAcyclic: () => Dt,
	postorder: () => jt,
	preorder: () => Mt,
	prim: () => Nt,
	shortestPaths: () => Pt,
	tarjan: () => bt,
	topsort: () => Et
});
var dt = () => 1;
function ft(e, t, n, r) {
	return pt(e, String(t), n || dt, r || function(t) {
		return e.outEdges(t) ?? [];
	});
}
function pt(e, t, n, r) {
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
function mt(e) {
	let t = {}, n = [], r;
	function i(n) {
		var a, o;
		n in t || (t[n] = !0, r.push(n), (a = e.successors(n)) == null || a.forEach(i), (o = e.predecessors(n)) == null || o.forEach(i));
	}
	return e.nodes().forEach(function(e) {
		r = [], i(e), r.length && n.push(r);
	}), n;
}
var ht = class {
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
}, gt = () => 1;
function _t(e, t, n, r) {
	return vt(e, String(t), n || gt, r || function(t) {
		return e.outEdges(t) ?? [];
	});
}
function vt(e, t, n, r) {
	let i = {}, a = new ht(), o, s, c = function(e) {
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
function yt(e, t, n) {
	return e.nodes().reduce(function(r, i) {
		return r[i] = _t(e, i, t, n), r;
	}, {});
}
function bt(e) {
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
function xt(e) {
	return bt(e).filter(function(t) {
		let n = t[0];
		return n ? t.length > 1 || t.length === 1 && (e.outEdges(n, n) ?? []).length > 0 : !1;
	});
}
var St = () => 1;
function Ct(e, t, n) {
	return wt(e, t || St, n || function(t) {
		return e.outEdges(t) ?? [];
	});
}
function wt(e, t, n) {
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
var Tt = class extends Error {
	constructor(e) {
		super(e), this.name = "CycleException";
	}
};
function Et(e) {
	let t = {}, n = {}, r = [];
	function i(a) {
		var o;
		if (a in n) throw new Tt();
		a in t || (n[a] = !0, t[a] = !0, (o = e.predecessors(a)) == null || o.forEach(i), delete n[a], r.push(a));
	}
	if (e.sinks().forEach(i), Object.keys(t).length !== e.nodeCount()) throw new Tt();
	return r;
}
function Dt(e) {
	try {
		Et(e);
	} catch (e) {
		if (e instanceof Tt) return !1;
		throw e;
	}
	return !0;
}
function Ot(e, t, n, r, i) {
	Array.isArray(t) || (t = [t]);
	let a = ((t) => (e.isDirected() ? e.successors(t) : e.neighbors(t)) ?? []), o = {};
	return t.forEach(function(t) {
		if (!e.hasNode(t)) throw Error("Graph does not have node: " + t);
		i = kt(e, t, n === "post", o, a, r, i);
	}), i;
}
function kt(e, t, n, r, i, a, o) {
	return t in r || (r[t] = !0, n || (o = a(o, t)), i(t).forEach(function(t) {
		o = kt(e, t, n, r, i, a, o);
	}), n && (o = a(o, t))), o;
}
function At(e, t, n) {
	return Ot(e, t, n, function(e, t) {
		return e.push(t), e;
	}, []);
}
function jt(e, t) {
	return At(e, t, "post");
}
function Mt(e, t) {
	return At(e, t, "pre");
}
function Nt(e, t) {
	var n;
	let r = new et(), i = {}, a = new ht(), o;
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
function Pt(e, t, n, r) {
	return Ft(e, t, n, r ?? ((t) => e.outEdges(t) ?? []));
}
function Ft(e, t, n, r) {
	if (n === void 0) return _t(e, t, n, r);
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
		if (i) return ft(e, t, n, r);
	}
	return _t(e, t, n, r);
}
var W = et;
function G(e, t, n, r) {
	let i = r;
	for (; e.hasNode(i);) i = Yt(r);
	return n.dummy = t, e.setNode(i, n), i;
}
function It(e) {
	let t = new W().setGraph(e.graph());
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
function Lt(e) {
	let t = new W({ multigraph: e.isMultigraph() }).setGraph(e.graph());
	return e.nodes().forEach((n) => {
		e.children(n).length || t.setNode(n, e.node(n));
	}), e.edges().forEach((n) => {
		t.setEdge(n, e.edge(n));
	}), t;
}
function Rt(e, t) {
	let n = e.x, r = e.y, i = t.x - n, a = t.y - r, o = e.width / 2, s = e.height / 2;
	if (!i && !a) throw Error("Not possible to find intersection inside of the rectangle");
	let c, l;
	return Math.abs(a) * o > Math.abs(i) * s ? (a < 0 && (s = -s), c = s * i / a, l = s) : (i < 0 && (o = -o), c = o, l = o * a / i), {
		x: n + c,
		y: r + l
	};
}
function zt(e) {
	let t = Xt(Gt(e) + 1).map(() => []);
	return e.nodes().forEach((n) => {
		let r = e.node(n), i = r.rank;
		i !== void 0 && (t[i] || (t[i] = []), t[i][r.order] = n);
	}), t;
}
function Bt(e) {
	let t = e.nodes().map((t) => {
		let n = e.node(t).rank;
		return n === void 0 ? Number.MAX_VALUE : n;
	}), n = K(Math.min, t);
	e.nodes().forEach((t) => {
		let r = e.node(t);
		Object.hasOwn(r, "rank") && (r.rank -= n);
	});
}
function Vt(e) {
	let t = e.nodes().map((t) => e.node(t).rank).filter((e) => e !== void 0), n = K(Math.min, t), r = [];
	e.nodes().forEach((t) => {
		let i = e.node(t).rank - n;
		r[i] || (r[i] = []), r[i].push(t);
	});
	let i = 0, a = e.graph().nodeRankFactor;
	Array.from(r).forEach((t, n) => {
		t === void 0 && n % a !== 0 ? --i : t !== void 0 && i && t.forEach((t) => e.node(t).rank += i);
	});
}
function Ht(e, t, n, r) {
	let i = {
		width: 0,
		height: 0
	};
	return arguments.length >= 4 && (i.rank = n, i.order = r), G(e, "border", i, t);
}
function Ut(e, t = Wt) {
	let n = [];
	for (let r = 0; r < e.length; r += t) {
		let i = e.slice(r, r + t);
		n.push(i);
	}
	return n;
}
var Wt = 65535;
function K(e, t) {
	return t.length > Wt ? e(...Ut(t).map((t) => e(...t))) : e(...t);
}
function Gt(e) {
	let t = e.nodes().map((t) => {
		let n = e.node(t).rank;
		return n === void 0 ? Number.MIN_VALUE : n;
	});
	return K(Math.max, t);
}
function Kt(e, t) {
	let n = {
		lhs: [],
		rhs: []
	};
	return e.forEach((e) => {
		t(e) ? n.lhs.push(e) : n.rhs.push(e);
	}), n;
}
function qt(e, t) {
	return t();
}
var Jt = 0;
function Yt(e) {
	return e + ("" + ++Jt);
}
function Xt(e, t, n = 1) {
	t ?? (t = e, e = 0);
	let r = (e) => e < t;
	n < 0 && (r = (e) => t < e);
	let i = [];
	for (let t = e; r(t); t += n) i.push(t);
	return i;
}
function Zt(e, t) {
	let n = {};
	for (let r of t) e[r] !== void 0 && (n[r] = e[r]);
	return n;
}
function Qt(e, t) {
	let n;
	return n = typeof t == "string" ? (e) => e[t] : t, Object.entries(e).reduce((e, [t, r]) => (e[t] = n(r, t), e), {});
}
function $t(e, t) {
	return e.reduce((e, n, r) => (e[n] = t[r], e), {});
}
var en = "\0";
function tn(e, t, n) {
	if (!(e && t && n && t.dummy === "edge" && n.dummy === "edge" && t.edgeObj && n.edgeObj && e[t.edgeObj.v] && e[n.edgeObj.v] && e[t.edgeObj.w] && e[n.edgeObj.w])) return 0;
	let r = !0;
	t.edgeObj.w === n.edgeObj.w && (r = !1);
	let i = r ? e[t.edgeObj.v]?.rank ?? NaN : e[t.edgeObj.w]?.rank ?? NaN, a = Object.entries(e).find((e) => e[1].edgeObj?.v === t.edgeObj.v && e[1].edgeObj?.w === t.edgeObj.w && e[1].rank === i), o = Object.entries(e).find((e) => e[1].edgeObj?.v === n.edgeObj.v && e[1].edgeObj?.w === n.edgeObj.w && e[1].rank === i);
	if (!a || !o) return 0;
	let s = a[1].order ?? NaN, c = o[1].order ?? NaN;
	return isNaN(s - c) ? 0 : s - c;
}
var nn = class {
	constructor() {
		Xe(this, "_sentinel");
		let e = {};
		e._next = e._prev = e, this._sentinel = e;
	}
	dequeue() {
		let e = this._sentinel, t = e._prev;
		if (t !== e) return rn(t), t;
	}
	enqueue(e) {
		let t = this._sentinel;
		e._prev && e._next && rn(e), e._next = t._next, t._next._prev = e, t._next = e, e._prev = t;
	}
	toString() {
		let e = [], t = this._sentinel, n = t._prev;
		for (; n !== t;) e.push(JSON.stringify(n, an)), n = n._prev;
		return "[" + e.join(", ") + "]";
	}
};
function rn(e) {
	e._prev._next = e._next, e._next._prev = e._prev, delete e._next, delete e._prev;
}
function an(e, t) {
	if (e !== "_next" && e !== "_prev") return t;
}
var on = nn, sn = () => 1;
function cn(e, t) {
	if (e.nodeCount() <= 1) return [];
	let n = dn(e, t || sn);
	return ln(n.graph, n.buckets, n.zeroIdx).flatMap((t) => e.outEdges(t.v, t.w) || []);
}
function ln(e, t, n) {
	let r = [], i = t[t.length - 1], a = t[0], o;
	for (; e.nodeCount();) {
		for (; o = a.dequeue();) un(e, t, n, o);
		for (; o = i.dequeue();) un(e, t, n, o);
		if (e.nodeCount()) {
			for (let i = t.length - 2; i > 0; --i) if (o = t[i]?.dequeue(), o) {
				r = r.concat(un(e, t, n, o, !0) || []);
				break;
			}
		}
	}
	return r;
}
function un(e, t, n, r, i) {
	let a = [], o = i ? a : void 0;
	return (e.inEdges(r.v) || []).forEach((r) => {
		let o = e.edge(r), s = e.node(r.v);
		i && a.push({
			v: r.v,
			w: r.w
		}), s.out -= o, fn(t, n, s);
	}), (e.outEdges(r.v) || []).forEach((r) => {
		let i = e.edge(r), a = r.w, o = e.node(a);
		o.in -= i, fn(t, n, o);
	}), e.removeNode(r.v), o;
}
function dn(e, t) {
	let n = new W(), r = 0, i = 0;
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
	let a = pn(i + r + 3).map(() => new on()), o = r + 1;
	return n.nodes().forEach((e) => {
		fn(a, o, n.node(e));
	}), {
		graph: n,
		buckets: a,
		zeroIdx: o
	};
}
function fn(e, t, n) {
	var r, i, a;
	n.out ? n.in ? (a = e[n.out - n.in + t]) == null || a.enqueue(n) : (i = e[e.length - 1]) == null || i.enqueue(n) : (r = e[0]) == null || r.enqueue(n);
}
function pn(e) {
	let t = [];
	for (let n = 0; n < e; n++) t.push(n);
	return t;
}
function mn(e, t) {
	(e.graph().acyclicer === "greedy" ? cn(e, n(e)) : hn(e, t ?? null)).forEach((t) => {
		let n = e.edge(t);
		e.removeEdge(t), n.forwardName = t.name, n.reversed = !0, e.setEdge(t.w, t.v, n, Yt("rev"));
	});
	function n(e) {
		return (t) => e.edge(t).weight;
	}
}
function hn(e, t) {
	let n = [], r = {}, i = {};
	function a(t) {
		Object.hasOwn(i, t) || (i[t] = !0, r[t] = !0, e.outEdges(t).forEach((e) => {
			Object.hasOwn(r, e.w) ? n.push(e) : a(e.w);
		}), delete r[t]);
	}
	function o(a) {
		var s;
		Object.hasOwn(i, a) || (i[a] = !0, r[a] = !0, (s = e.outEdges(a)) == null || s.forEach((i) => {
			Object.hasOwn(r, i.w) || t.node(a)?.rank > t.node(i.w)?.rank && _n(e, i.w, i) ? n.push(i) : o(i.w);
		}), delete r[a]);
	}
	let s = a;
	return t && typeof t.node == "function" && (s = o), e.sources().forEach(s), e.nodes().forEach(s), n;
}
function gn(e) {
	e.edges().forEach((t) => {
		let n = e.edge(t);
		if (n.reversed) {
			e.removeEdge(t);
			let r = n.forwardName;
			delete n.reversed, delete n.forwardName, e.setEdge(t.w, t.v, n, r);
		}
	});
}
function _n(e, t, n) {
	let r = /* @__PURE__ */ new Set();
	function i(t) {
		if (e.sources().includes(t)) return !0;
		r.add(t);
		for (let a of e.inEdges(t) ?? []) if ((a.v !== n.v || a.w !== n.w) && !r.has(a.v) && i(a.v)) return !0;
		return !1;
	}
	return i(t);
}
function vn(e) {
	e.graph().dummyChains = [], e.edges().forEach((t) => yn(e, t));
}
function yn(e, t) {
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
	}, l = G(e, "edge", u, "_d"), r === c && (u.width = s.width, u.height = s.height, u.dummy = "edge-label", u.labelpos = s.labelpos), e.setEdge(n, l, { weight: s.weight }, o), d === 0 && e.graph().dummyChains.push(l), n = l;
	e.setEdge(n, i, { weight: s.weight }, o);
}
function bn(e) {
	e.graph().dummyChains.forEach((t) => {
		let n = e.node(t), r = n.edgeLabel, i;
		for (e.setEdge(n.edgeObj, r); n.dummy;) i = e.successors(t)[0], e.removeNode(t), r.points.push({
			x: n.x,
			y: n.y
		}), n.dummy === "edge-label" && (r.x = n.x, r.y = n.y, r.width = n.width, r.height = n.height), t = i, n = e.node(t);
	});
}
function xn(e) {
	let t = {};
	function n(r) {
		let i = e.node(r);
		if (Object.hasOwn(t, r)) return i.rank;
		t[r] = !0;
		let a = e.outEdges(r), o = a ? a.map((t) => t == null ? Infinity : n(t.w) - e.edge(t).minlen) : [], s = K(Math.min, o);
		return s === Infinity && (s = 0), i.rank = s;
	}
	e.sources().forEach(n);
}
function q(e, t) {
	return e.node(t.w).rank - e.node(t.v).rank - e.edge(t).minlen;
}
var Sn = Cn;
function Cn(e) {
	let t = new W({ directed: !1 }), n = e.nodes();
	if (n.length === 0) throw Error("Graph must have at least one node");
	let r = n[0], i = e.nodeCount();
	t.setNode(r, {});
	let a, o;
	for (; wn(t, e) < i && (a = Tn(t, e), a);) o = t.hasNode(a.v) ? q(e, a) : -q(e, a), En(t, e, o);
	return t;
}
function wn(e, t) {
	function n(r) {
		let i = t.nodeEdges(r);
		i && i.forEach((i) => {
			let a = i.v, o = r === a ? i.w : a;
			!e.hasNode(o) && !q(t, i) && (e.setNode(o, {}), e.setEdge(r, o, {}), n(o));
		});
	}
	return e.nodes().forEach(n), e.nodeCount();
}
function Tn(e, t) {
	return t.edges().reduce((n, r) => {
		let i = Infinity;
		return e.hasNode(r.v) !== e.hasNode(r.w) && (i = q(t, r)), i < n[0] ? [i, r] : n;
	}, [Infinity, null])[1];
}
function En(e, t, n) {
	e.nodes().forEach((e) => t.node(e).rank += n);
}
var { preorder: Dn, postorder: On } = ut, kn = J;
J.initLowLimValues = Nn, J.initCutValues = An, J.calcCutValue = Mn, J.leaveEdge = Fn, J.enterEdge = In, J.exchangeEdges = Ln;
function J(e) {
	e = It(e), xn(e);
	let t = Sn(e);
	Nn(t), An(t, e);
	let n, r;
	for (; n = Fn(t);) r = In(t, e, n), Ln(t, e, n, r);
}
function An(e, t) {
	let n = On(e, e.nodes());
	n = n.slice(0, n.length - 1), n.forEach((n) => jn(e, t, n));
}
function jn(e, t, n) {
	let r = e.node(n).parent, i = e.edge(n, r);
	i.cutvalue = Mn(e, t, n);
}
function Mn(e, t, n) {
	let r = e.node(n).parent, i = !0, a = t.edge(n, r), o = 0;
	a ||= (i = !1, t.edge(r, n)), o = a.weight;
	let s = t.nodeEdges(n);
	return s && s.forEach((a) => {
		let s = a.v === n, c = s ? a.w : a.v;
		if (c !== r) {
			let r = s === i, l = t.edge(a).weight;
			if (o += r ? l : -l, zn(e, n, c)) {
				let t = e.edge(n, c).cutvalue;
				o += r ? -t : t;
			}
		}
	}), o;
}
function Nn(e, t) {
	arguments.length < 2 && (t = e.nodes()[0]), Pn(e, {}, 1, t);
}
function Pn(e, t, n, r, i) {
	let a = n, o = e.node(r);
	t[r] = !0;
	let s = e.neighbors(r);
	return s && s.forEach((i) => {
		Object.hasOwn(t, i) || (n = Pn(e, t, n, i, r));
	}), o.low = a, o.lim = n++, i ? o.parent = i : delete o.parent, n;
}
function Fn(e) {
	return e.edges().find((t) => e.edge(t).cutvalue < 0);
}
function In(e, t, n) {
	let r = n.v, i = n.w;
	t.hasEdge(r, i) || (r = n.w, i = n.v);
	let a = e.node(r), o = e.node(i), s = a, c = !1;
	return a.lim > o.lim && (s = o, c = !0), t.edges().filter((t) => c === Bn(e, e.node(t.v), s) && c !== Bn(e, e.node(t.w), s)).reduce((e, n) => q(t, n) < q(t, e) ? n : e);
}
function Ln(e, t, n, r) {
	let i = n.v, a = n.w;
	e.removeEdge(i, a), e.setEdge(r.v, r.w, {}), Nn(e), An(e, t), Rn(e, t);
}
function Rn(e, t) {
	let n = e.nodes().find((t) => !e.node(t).parent);
	if (!n) return;
	let r = Dn(e, [n]);
	r = r.slice(1), r.forEach((n) => {
		let r = e.node(n).parent, i = t.edge(n, r), a = !1;
		i || (i = t.edge(r, n), a = !0), t.node(n).rank = t.node(r).rank + (a ? i.minlen : -i.minlen);
	});
}
function zn(e, t, n) {
	return e.hasEdge(t, n);
}
function Bn(e, t, n) {
	return n.low <= t.lim && t.lim <= n.lim;
}
var Vn = Hn;
function Hn(e) {
	let t = e.graph().ranker;
	if (typeof t == "function") return t(e);
	switch (t) {
		case "network-simplex":
			Gn(e);
			break;
		case "tight-tree":
			Wn(e);
			break;
		case "longest-path":
			Un(e);
			break;
		case "none": break;
		default: Gn(e);
	}
}
var Un = xn;
function Wn(e) {
	xn(e), Sn(e);
}
function Gn(e) {
	kn(e);
}
var Kn = qn;
function qn(e) {
	let t = Yn(e), n = e.graph();
	Array.isArray(n.dummyChains) && n.dummyChains.forEach((n) => {
		let r = e.node(n), i = r.edgeObj, a = Jn(e, t, i.v, i.w), o = a.path, s = a.lca, c = 0, l = o[c], u = !0;
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
function Jn(e, t, n, r) {
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
function Yn(e) {
	let t = {}, n = 0;
	function r(i) {
		let a = n;
		e.children(i).forEach(r), t[i] = {
			low: a,
			lim: n++
		};
	}
	return e.children(en).forEach(r), t;
}
function Xn(e) {
	let t = G(e, "root", {}, "_root"), n = Qn(e), r = Object.values(n), i = K(Math.max, r) - 1, a = 2 * i + 1;
	e.graph().nestingRoot = t, e.edges().forEach((t) => e.edge(t).minlen *= a);
	let o = $n(e) + 1;
	e.children(en).forEach((r) => {
		Zn(e, t, a, o, i, n, r);
	}), e.graph().nodeRankFactor = a;
}
function Zn(e, t, n, r, i, a, o) {
	let s = e.children(o);
	if (!s.length) {
		o !== t && e.setEdge(t, o, {
			weight: 0,
			minlen: n
		});
		return;
	}
	let c = Ht(e, "_bt"), l = Ht(e, "_bb"), u = e.node(o);
	e.setParent(c, o), u.borderTop = c, e.setParent(l, o), u.borderBottom = l, s.forEach((s) => {
		Zn(e, t, n, r, i, a, s);
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
function Qn(e) {
	let t = {};
	function n(r, i) {
		let a = e.children(r);
		a && a.length && a.forEach((e) => n(e, i + 1)), t[r] = i;
	}
	return e.children(en).forEach((e) => n(e, 1)), t;
}
function $n(e) {
	return e.edges().reduce((t, n) => t + e.edge(n).weight, 0);
}
function er(e) {
	let t = e.graph();
	e.removeNode(t.nestingRoot), delete t.nestingRoot, e.edges().forEach((t) => {
		e.edge(t).nestingEdge && e.removeEdge(t);
	});
}
var tr = nr;
function nr(e) {
	function t(n) {
		let r = e.children(n), i = e.node(n);
		if (r.length && r.forEach(t), i && Object.hasOwn(i, "minRank")) {
			i.borderLeft = [], i.borderRight = [];
			for (let t = i.minRank, r = i.maxRank + 1; t < r; ++t) rr(e, "borderLeft", "_bl", n, i, t), rr(e, "borderRight", "_br", n, i, t);
		}
	}
	e.children(en).forEach(t);
}
function rr(e, t, n, r, i, a) {
	let o = {
		width: 0,
		height: 0,
		rank: a,
		borderType: t
	}, s = i[t][a - 1], c = G(e, "border", o, n);
	i[t][a] = c, e.setParent(c, r), s && e.setEdge(s, c, { weight: 1 });
}
function ir(e) {
	let t = e.graph().rankdir?.toLowerCase();
	(t === "lr" || t === "rl") && or(e);
}
function ar(e) {
	let t = e.graph().rankdir?.toLowerCase();
	(t === "bt" || t === "rl") && cr(e), (t === "lr" || t === "rl") && (ur(e), or(e));
}
function or(e) {
	e.nodes().forEach((t) => sr(e.node(t))), e.edges().forEach((t) => sr(e.edge(t)));
}
function sr(e) {
	let t = e.width;
	e.width = e.height, e.height = t;
}
function cr(e) {
	e.nodes().forEach((t) => lr(e.node(t))), e.edges().forEach((t) => {
		var n;
		let r = e.edge(t);
		(n = r.points) == null || n.forEach(lr), Object.hasOwn(r, "y") && lr(r);
	});
}
function lr(e) {
	e.y = -e.y;
}
function ur(e) {
	e.nodes().forEach((t) => dr(e.node(t))), e.edges().forEach((t) => {
		var n;
		let r = e.edge(t);
		(n = r.points) == null || n.forEach(dr), Object.hasOwn(r, "x") && dr(r);
	});
}
function dr(e) {
	let t = e.x;
	e.x = e.y, e.y = t;
}
function fr(e, t = null) {
	let n = {}, r = e.nodes().filter((t) => !e.children(t).length), i = r.map((t) => e.node(t).rank), a = Xt(K(Math.max, i) + 1).map(() => []);
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
		return tn(t, e.node(n), e.node(r));
	}
	return a;
}
function pr(e, t) {
	let n = 0;
	for (let r = 1; r < t.length; ++r) n += mr(e, t[r - 1], t[r]);
	return n;
}
function mr(e, t, n) {
	let r = $t(n, n.map((e, t) => t)), i = t.flatMap((t) => {
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
function hr(e, t = []) {
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
function gr(e, t) {
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
	}), _r(Object.values(n).filter((e) => !e.indegree));
}
function _r(e) {
	let t = [];
	function n(e) {
		return (t) => {
			t.merged || (t.barycenter === void 0 || e.barycenter === void 0 || t.barycenter >= e.barycenter) && vr(e, t);
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
	return t.filter((e) => !e.merged).map((e) => Zt(e, [
		"vs",
		"i",
		"barycenter",
		"weight"
	]));
}
function vr(e, t) {
	let n = 0, r = 0;
	e.weight && (n += e.barycenter * e.weight, r += e.weight), t.weight && (n += t.barycenter * t.weight, r += t.weight), e.vs = t.vs.concat(e.vs), e.barycenter = n / r, e.weight = r, e.i = Math.min(t.i, e.i), t.merged = !0;
}
function yr(e, t, n, r, i) {
	let a = {}, o = null, s = null, c = i;
	typeof t == "boolean" ? (c = t, a = {}) : t && (a = t, o = n ?? null, s = r ?? null);
	let l = Kt(e, (e) => Object.hasOwn(e, "barycenter")), u = l.lhs, d = l.rhs.sort((e, t) => t.i - e.i), f = [], p = 0, m = 0, h = 0;
	u.sort(xr(s, o, !!c));
	for (let [e, t] of Object.entries(a)) {
		let n = u.findIndex((t) => t.vs[0] === e);
		u.splice(n + 1, 0, t);
	}
	h = br(f, d, h), u.forEach((e) => {
		h += e.vs.length, f.push(e.vs), p += e.barycenter * e.weight, m += e.weight, h = br(f, d, h);
	});
	let g = { vs: f.flat(1) };
	return m && (g.barycenter = p / m, g.weight = m), g;
}
function br(e, t, n) {
	let r;
	for (; t.length && (r = t[t.length - 1]).i <= n;) t.pop(), e.push(r.vs), n++;
	return n;
}
function xr(e, t, n) {
	return (r, i) => {
		if (r.barycenter < i.barycenter) return -1;
		if (r.barycenter > i.barycenter) return 1;
		if (e && (typeof r.vs[0] == "string" || typeof i.vs[0] == "string")) {
			let n = tn(t, e.node(r.vs[0]), e.node(i.vs[0]));
			if (n !== 0) return n;
		}
		return n ? i.i - r.i : r.i - i.i;
	};
}
function Sr(e, t, n, r, i) {
	var a, o;
	let s = null, c = i;
	typeof r == "boolean" ? (c = r, s = null) : r !== void 0 && (s = r);
	let l = e.children(t), u = e.node(t), d = u ? u.borderLeft : void 0, f = u ? u.borderRight : void 0, p = {};
	d && (l = l.filter((e) => e !== d && e !== f));
	let m = hr(e, l);
	m.forEach((t) => {
		if (e.children(t.v).length) {
			let { result: r } = Sr(e, t.v, n, s, c);
			p[t.v] = r, Object.hasOwn(r, "barycenter") && wr(t, r);
		}
	});
	let h = gr(m, n);
	Cr(h, p);
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
	let v = yr(h, g, s, e, c);
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
function Cr(e, t) {
	e.forEach((e) => {
		e.vs = e.vs.flatMap((e) => t[e] ? t[e].vs : e);
	});
}
function wr(e, t) {
	e.barycenter === void 0 ? (e.barycenter = t.barycenter, e.weight = t.weight) : (e.barycenter = (e.barycenter * e.weight + t.barycenter * t.weight) / (e.weight + t.weight), e.weight += t.weight);
}
function Tr(e, t, n, r) {
	r ||= e.nodes();
	let i = Er(e), a = new W({ compound: !0 }).setGraph({ root: i }).setDefaultNodeLabel((t) => e.node(t));
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
function Er(e) {
	let t;
	for (; e.hasNode(t = Yt("_root")););
	return t;
}
function Dr(e, t, n) {
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
function Or(e, t = {}, n = null) {
	if (typeof t.customOrder == "function") {
		t.customOrder(e, Or);
		return;
	}
	let r = Gt(e), i = kr(e, Xt(1, r + 1), "inEdges"), a = kr(e, Xt(r - 1, -1, -1), "outEdges"), o = fr(e, n);
	if (jr(e, o), t.disableOptimalOrderHeuristic) return;
	let s = Infinity, c, l = t.constraints || [];
	for (let t = 0, r = 0; r < 4; ++t, ++r) {
		Ar(t % 2 ? i : a, t % 4 >= 2, l, n), o = zt(e);
		let u = pr(e, o);
		u < s ? (r = 0, c = Object.assign({}, o), s = u) : u === s && (c = structuredClone(o));
	}
	jr(e, c);
}
function kr(e, t, n) {
	let r = /* @__PURE__ */ new Map(), i = (e, t) => {
		r.has(e) || r.set(e, []), r.get(e).push(t);
	};
	for (let t of e.nodes()) {
		let n = e.node(t);
		if (typeof n.rank == "number" && i(n.rank, t), typeof n.minRank == "number" && typeof n.maxRank == "number") for (let e = n.minRank; e <= n.maxRank; e++) e !== n.rank && i(e, t);
	}
	return t.map(function(t) {
		return Tr(e, t, n, r.get(t) || []);
	});
}
function Ar(e, t, n, r) {
	let i = !0, a = new W();
	e.forEach(function(e) {
		n.forEach((e) => a.setEdge(e.left, e.right));
		let o = e.graph().root, { result: s, usedBias: c } = Sr(e, o, a, r, i);
		t && c && (i = !i), s.vs.forEach((t, n) => e.node(t).order = n), Dr(e, a, s.vs);
	});
}
function jr(e, t) {
	Object.values(t).forEach((t) => t.forEach((t, n) => e.node(t).order = n));
}
function Mr(e, t) {
	let n = {};
	function r(t, r) {
		let i = 0, a = 0, o = t.length, s = r[r.length - 1];
		return r.forEach((t, c) => {
			let l = Pr(e, t), u = l ? e.node(l).order : o;
			(l || t === s) && (r.slice(a, c + 1).forEach((t) => {
				let r = e.predecessors(t);
				r && r.forEach((r) => {
					let a = e.node(r), o = a.order;
					(o < i || u < o) && !(a.dummy && e.node(t).dummy) && Fr(n, r, t);
				});
			}), a = c + 1, i = u);
		}), r;
	}
	return t.length && t.reduce(r), n;
}
function Nr(e, t) {
	let n = {};
	function r(t, r, i, a, o) {
		Xt(r, i).forEach((r) => {
			let i = t[r];
			if (i !== void 0 && e.node(i).dummy) {
				let t = e.predecessors(i);
				t && t.forEach((t) => {
					if (t === void 0) return;
					let r = e.node(t);
					r.dummy && (r.order < a || r.order > o) && Fr(n, t, i);
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
function Pr(e, t) {
	if (e.node(t).dummy) {
		let n = e.predecessors(t);
		if (n) return n.find((t) => e.node(t).dummy);
	}
}
function Fr(e, t, n) {
	if (t > n) {
		let e = t;
		t = n, n = e;
	}
	let r = e[t];
	r || (e[t] = r = {}), r[n] = !0;
}
function Ir(e, t, n) {
	if (t > n) {
		let e = t;
		t = n, n = e;
	}
	let r = e[t];
	return r !== void 0 && Object.hasOwn(r, n);
}
function Lr(e, t, n, r, i) {
	let a = {}, o = {}, s = {};
	return t.forEach((e) => {
		e.forEach((e, t) => {
			a[e] = e, o[e] = e, s[e] = t;
		});
	}), t.forEach((t) => {
		let c = -1, l = -1, u = !1, d = t, f = t.findIndex((t) => i?.includes(t) || Kr(t, e, i));
		f > 0 && (d = [
			t[f],
			...t.slice(0, f),
			...t.slice(f + 1)
		], u = !0), d.forEach((t) => {
			let d = r(t);
			if (d && d.length) {
				i != null && i.includes(t) && (d = d.filter((t) => Kr(t, e, i)));
				let r = d.sort((e, t) => {
					let n = s[e], r = s[t];
					return (n === void 0 ? 0 : n) - (r === void 0 ? 0 : r);
				}), f = (r.length - 1) / 2;
				for (let e = Math.floor(f), i = Math.ceil(f); e <= i; ++e) {
					let i = r[e];
					if (i === void 0) continue;
					let d = s[i];
					if (d !== void 0 && o[t] === t && c < d && s[i] !== l && !Ir(n, t, i)) {
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
function Rr(e, t, n, r, i = !1) {
	let a = {}, o = zr(e, t, n, i), s = i ? "borderLeft" : "borderRight";
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
function zr(e, t, n, r) {
	let i = new W(), a = e.graph(), o = Wr(a.nodesep, a.edgesep, r);
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
function Br(e, t) {
	return Object.values(t).reduce((t, n) => {
		let r = -Infinity, i = Infinity;
		Object.entries(n).forEach(([t, n]) => {
			let a = Gr(e, t) / 2;
			r = Math.max(n + a, r), i = Math.min(n - a, i);
		});
		let a = r - i;
		return a < t[0] && (t = [a, n]), t;
	}, [Infinity, null])[1];
}
function Vr(e, t) {
	let n = Object.values(t), r = K(Math.min, n), i = K(Math.max, n);
	["u", "d"].forEach((n) => {
		["l", "r"].forEach((a) => {
			let o = n + a, s = e[o];
			if (!s || s === t) return;
			let c = Object.values(s), l = r - K(Math.min, c);
			a !== "l" && (l = i - K(Math.max, c)), l && (e[o] = Qt(s, (e) => e + l));
		});
	});
}
function Hr(e, t = void 0) {
	let n = e.ul;
	return n ? Qt(n, (n, r) => {
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
function Ur(e, t) {
	let n = zt(e), r = Object.assign(Mr(e, n), Nr(e, n)), i = {}, a;
	return ["u", "d"].forEach((o) => {
		a = o === "u" ? n : Object.values(n).reverse(), ["l", "r"].forEach((n) => {
			n === "r" && (a = a.map((e) => Object.values(e).reverse()));
			let s = Lr(e, a, r, (t) => (o === "u" ? e.predecessors(t) : e.successors(t)) || [], t), c = Rr(e, a, s.root, s.align, n === "r");
			n === "r" && (c = Qt(c, (e) => -e)), i[o + n] = c;
		});
	}), Vr(i, Br(e, i)), Hr(i, e.graph().align);
}
function Wr(e, t, n) {
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
function Gr(e, t) {
	return e.node(t).width;
}
function Kr(e, t, n) {
	if (!n) return !1;
	let r = t.node(e)?.edgeObj;
	if (!r || t.node(e).edgeLabel.reversed) return !1;
	let i = n.indexOf(r?.v), a = n.indexOf(r?.w);
	return i !== -1 && a !== -1 && i === (a + 1) % n.length || i === (a - 1) % n.length;
}
function qr(e, t) {
	e = Lt(e), Jr(e), Object.entries(Ur(e, t)).forEach(([t, n]) => e.node(t).x = n);
}
function Jr(e) {
	let t = zt(e), n = e.graph(), r = n.ranksep, i = n.rankalign, a = 0;
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
var Yr = /* @__PURE__ */ new WeakMap();
function Xr(e, t = {}) {
	return Qr(e, qt, t), e;
}
function Zr(e, t, n) {
	let r = t;
	for (; r !== void 0;) {
		let t = e.parent(r);
		if (t === n) return r;
		r = t;
	}
}
function Qr(e, t, n) {
	let r = e.nodes().filter((t) => e.children(t).length), i = {};
	r.forEach((r) => {
		let a = e.node(r);
		if (a && a.rankdir) {
			let o = new W({
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
				let n = Zr(e, t.v, r), i = Zr(e, t.w, r);
				if (n && i && n !== i) {
					let r = `${n}\0${i}`;
					c.has(r) || (c.add(r), o.setEdge(n, i, { ...e.edge(t) }));
				}
			}), Qr(o, t, n);
			let l = li(o);
			$r(l, t, n, null), ei(o, l);
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
	let h = li(e), g = $r(h, t, n, Yr.get(e) ?? null);
	Yr.set(e, g), ei(e, h), m.forEach((t) => {
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
function $r(e, t, n, r = null) {
	var i, a;
	let o = n?.useDynamic !== !1, s = o && (i = r?.graph) != null ? i : null, c = o && (a = r?.rawNodes) != null ? a : null;
	t("    makeSpaceForEdgeLabels", () => ui(e)), t("    removeSelfEdges", () => yi(e)), t("    acyclic", () => mn(e, s)), t("    nestingGraph.run", () => Xn(e)), t("    rank", () => Vn(Lt(e))), t("    injectEdgeLabelProxies", () => di(e)), t("    removeEmptyRanks", () => Vt(e)), t("    nestingGraph.cleanup", () => er(e)), t("    normalizeRanks", () => Bt(e)), t("    assignRankMinMax", () => fi(e)), t("    removeEdgeLabelProxies", () => pi(e)), t("    normalize.run", () => vn(e)), t("    parentDummyChains", () => Kn(e)), t("    addBorderSegments", () => tr(e)), t("    order", () => Or(e, n, c)), t("    insertSelfEdges", () => bi(e)), t("    adjustCoordinateSystem", () => ir(e)), t("    position", () => qr(e, n.corePath)), t("    positionSelfEdges", () => xi(e));
	let l = JSON.parse(JSON.stringify(e._nodes));
	return t("    removeBorderNodes", () => vi(e)), t("    normalize.undo", () => bn(e)), t("    fixupEdgeLabelCoords", () => gi(e)), t("    undoCoordinateSystem", () => ar(e)), t("    translateGraph", () => mi(e)), t("    assignNodeIntersects", () => hi(e)), t("    reversePoints", () => _i(e)), t("    acyclic.undo", () => gn(e)), {
		graph: e,
		rawNodes: l
	};
}
function ei(e, t) {
	e.nodes().forEach((n) => {
		let r = e.node(n), i = t.node(n);
		r && (r.x = i.x, r.y = i.y, r.order = i.order, r.rank = i.rank, t.children(n).length && (r.width = i.width, r.height = i.height));
	}), e.edges().forEach((n) => {
		let r = e.edge(n), i = t.edge(n);
		r.points = i.points, Object.hasOwn(i, "x") && (r.x = i.x, r.y = i.y);
	}), e.graph().width = t.graph().width, e.graph().height = t.graph().height;
}
var ti = [
	"nodesep",
	"edgesep",
	"ranksep",
	"marginx",
	"marginy"
], ni = {
	ranksep: 50,
	edgesep: 20,
	nodesep: 50,
	rankdir: "TB",
	rankalign: "center"
}, ri = [
	"acyclicer",
	"ranker",
	"rankdir",
	"align",
	"rankalign"
], ii = [
	"width",
	"height",
	"rank"
], ai = {
	width: 0,
	height: 0
}, oi = [
	"minlen",
	"weight",
	"width",
	"height",
	"labeloffset"
], si = {
	minlen: 1,
	weight: 1,
	width: 0,
	height: 0,
	labeloffset: 10,
	labelpos: "r"
}, ci = ["labelpos"];
function li(e) {
	let t = new W({
		multigraph: !0,
		compound: !0
	}), n = Ci(e.graph());
	return t.setGraph(Object.assign({}, ni, Si(n, ti), Zt(n, ri))), e.nodes().forEach((n) => {
		let r = Si(Ci(e.node(n)), ii);
		Object.keys(ai).forEach((e) => {
			r[e] === void 0 && (r[e] = ai[e]);
		}), t.setNode(n, r);
		let i = e.parent(n);
		i !== void 0 && t.setParent(n, i);
	}), e.edges().forEach((n) => {
		let r = Ci(e.edge(n));
		t.setEdge(n, Object.assign({}, si, Si(r, oi), Zt(r, ci)));
	}), t;
}
function ui(e) {
	let t = e.graph();
	t.ranksep /= 2, e.edges().forEach((n) => {
		let r = e.edge(n);
		r.minlen *= 2, (r.labelpos ?? "r").toLowerCase() !== "c" && (t.rankdir === "TB" || t.rankdir === "BT" ? r.width += r.labeloffset : r.height += r.labeloffset);
	});
}
function di(e) {
	e.edges().forEach((t) => {
		let n = e.edge(t);
		if (n.width && n.height) {
			let n = e.node(t.v);
			G(e, "edge-proxy", {
				rank: (e.node(t.w).rank - n.rank) / 2 + n.rank,
				e: t
			}, "_ep");
		}
	});
}
function fi(e) {
	let t = 0;
	e.nodes().forEach((n) => {
		let r = e.node(n);
		r.borderTop && (r.minRank = e.node(r.borderTop).rank, r.maxRank = e.node(r.borderBottom).rank, t = Math.max(t, r.maxRank));
	}), e.graph().maxRank = t;
}
function pi(e) {
	e.nodes().forEach((t) => {
		let n = e.node(t);
		if (n.dummy === "edge-proxy") {
			let r = n;
			e.edge(r.e).labelRank = n.rank, e.removeNode(t);
		}
	});
}
function mi(e) {
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
function hi(e) {
	e.edges().forEach((t) => {
		if (t.v === t.w) return;
		let n = e.edge(t), r = e.node(t.v), i = e.node(t.w), a, o;
		n.points ? (a = n.points[0], o = n.points[n.points.length - 1]) : (n.points = [], a = i, o = r), n.points.unshift(Rt(r, a)), n.points.push(Rt(i, o));
	});
}
function gi(e) {
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
function _i(e) {
	e.edges().forEach((t) => {
		let n = e.edge(t);
		n.reversed && n.points.reverse();
	});
}
function vi(e) {
	e.nodes().forEach((t) => {
		if (e.children(t).length) {
			let n = e.node(t), r = e.node(n.borderTop), i = e.node(n.borderBottom), a = e.node(n.borderLeft[n.borderLeft.length - 1]), o = e.node(n.borderRight[n.borderRight.length - 1]);
			n.width = Math.abs(o.x - a.x), n.height = Math.abs(i.y - r.y), n.x = a.x + n.width / 2, n.y = r.y + n.height / 2;
		}
	}), e.nodes().forEach((t) => {
		e.node(t).dummy === "border" && e.removeNode(t);
	});
}
function yi(e) {
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
function bi(e) {
	zt(e).forEach((t) => {
		let n = 0;
		t.forEach((t, r) => {
			let i = e.node(t);
			typeof i.rank != "number" && (i.rank = 0), i.order = r + n, (i.selfEdges || []).forEach((t) => {
				G(e, "selfedge", {
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
function xi(e) {
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
function Si(e, t) {
	return Qt(Zt(e, t), Number);
}
function Ci(e) {
	let t = {};
	return e && Object.entries(e).forEach(([e, n]) => {
		typeof e == "string" && (e = e.toLowerCase()), t[e] = n;
	}), t;
}
// src/explore/layout.ts
var wi = .7, Ti = 560, Ei = {
	direction: "LR",
	box: {
		width: 128,
		height: 64
	},
	layers: 56,
	beside: 22
}, Di = {
	direction: "LR",
	box: {
		width: 116,
		height: 64
	},
	layers: 30,
	beside: 18
}, Oi = {
	direction: "TB",
	box: {
		width: 116,
		height: 64
	},
	layers: 40,
	beside: 14
};
function ki(e) {
	return e.nodes.map((e) => `${e.op}(${e.operands.map((e) => "node" in e ? e.node : "c").join()})`).join(";");
}
function Ai(e, t) {
	if (t < Ti) return ji(e, Oi);
	let n = ji(e, Ei);
	return n.width * .85 <= t ? n : ji(e, Di);
}
function ji(e, t) {
	let { direction: n, box: r, layers: i, beside: a } = t, o = new Ze.Graph({ multigraph: !0 });
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
	Xr(o);
	let s = e.nodes.map((e) => {
		let { x: t, y: n } = o.node(String(e.index));
		return {
			x: t,
			y: n
		};
	}), c = e.nodes.flatMap((e) => Mi(e, s, t, o)), { width: l = 0, height: u = 0 } = o.graph();
	return {
		...t,
		key: ki(e),
		width: l,
		height: u,
		boxes: s,
		edges: c
	};
}
function Mi(e, t, { direction: n, box: r }, i) {
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
		}, { points: h } = i.edge(String(n), String(e.index), String(l)), { path: g, middle: _ } = Ni([
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
function Ni(e, t) {
	let n = `M${Y(e[0])}`;
	for (let r = 1; r < e.length; r++) {
		let [i, a] = [e[r - 1], e[r]], o = t ? (i.x + a.x) / 2 : (i.y + a.y) / 2;
		n += t ? `C${Y({
			x: o,
			y: i.y
		})} ${Y({
			x: o,
			y: a.y
		})} ${Y(a)}` : `C${Y({
			x: i.x,
			y: o
		})} ${Y({
			x: a.x,
			y: o
		})} ${Y(a)}`;
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
function Y({ x: e, y: t }) {
	return `${e.toFixed(1)},${t.toFixed(1)}`;
}
// src/explore/model.ts
var Pi = 0;
function Fi(e, t, n = {}) {
	return new Promise((r, i) => {
		let a = ++Pi, o = (t) => {
			t.id === a && (e.off("msg:custom", o), t.error === void 0 ? r(t.ok ?? {}) : i(Error(t.error)));
		};
		e.on("msg:custom", o), e.send({
			id: a,
			do: t,
			...n
		});
	});
}
function Ii(e) {
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
function X(e) {
	return typeof e == "object" && !!e;
}
// src/explore/Graph.tsx
function Z(e, t = 4) {
	return X(e ?? void 0) ? `array ${e.shape.join("×")}` : typeof e == "string" && !/^(-?Infinity|NaN)$/.test(e) ? e : H(e, t);
}
function Li(e, t, n) {
	return `${e.formula ? `${e.name} = ${e.formula}` : `${e.name}, given`}; value ${n ? Z(e.data) : "not computed yet"}${t === null ? "" : `, gradient ${Z(t)}`}`;
}
function Ri(e, t) {
	return e.steps.find((e) => e.phase === "backward" && e.node === t.to && e.operand === t.operand);
}
function zi(e, t) {
	let n = e === null || X(e ?? void 0) ? 0 : Math.min(1, Math.abs(Number(e)) / t);
	return Number.isFinite(n) ? n : 0;
}
function Bi({ scene: e, layout: t, standing: n, showGradients: r, largest: i, pointed: a, onPoint: o, onChoose: s, asked: c, chosen: l, label: u }) {
	let { step: d } = n, { width: f, height: p } = t.box, m = /* @__PURE__ */ new Set();
	if (a && "node" in a) for (let e of t.edges) e.to === a.node && m.add(e.from), e.from === a.node && m.add(e.to);
	let h = [], g = /* @__PURE__ */ new Map();
	for (let t of e.steps) t.phase === "backward" && g.set(`${t.node}.${t.operand}`, t);
	return /* @__PURE__ */ U("svg", {
		class: "graph",
		viewBox: `0 0 ${t.width} ${t.height}`,
		style: {
			minWidth: `${wi * t.width}px`,
			maxWidth: `${t.width * 1.15}px`
		},
		role: "group",
		"aria-label": u,
		onPointerLeave: () => o(null),
		children: [
			/* @__PURE__ */ U("g", { children: t.edges.map((e, t) => {
				let s = g.get(`${e.to}.${e.operand}`), c = d?.phase === "forward" && d.node === e.to, l = d?.phase === "backward" && d.node === e.to && d.operand === e.operand, u = a !== null && "edge" in a && a.edge === t, f = r && s !== void 0 && n.grads[e.to] !== null && !X(s.contribution);
				return (l || u) && s?.local !== null && s?.local !== void 0 && h.push({
					...e.middle,
					text: `×${H(s.local, 3)}`
				}), /* @__PURE__ */ U(Ge, {
					index: t,
					path: e.path,
					classes: `edge ${c ? "lit" : l ? "back" : u ? "pointed" : ""}`,
					flow: f ? `${(1 + 7 * Math.sqrt(zi(s.contribution, i))).toFixed(1)}px` : "",
					flowSign: f ? ze(s.contribution) : "",
					onPoint: o
				}, `${e.from}.${e.to}.${e.operand}`);
			}) }),
			e.nodes.map((u) => {
				let { x: h, y: g } = t.boxes[u.index], _ = n.known[u.index], v = n.grads[u.index] ?? null, y = c?.includes(u.name) ?? !1, b = a !== null && "node" in a && a.node === u.index, x = d?.phase === "backward", S = [
					"node",
					u.operands.length ? "made" : "leaf",
					u.index === e.root ? "root" : "",
					_ ? "" : "waiting",
					d !== null && !x && d.node === u.index ? "lit" : "",
					x && d.node === u.index ? "giver" : "",
					x && d.parent === u.index ? "back" : "",
					y ? "asked" : "",
					l?.includes(u.name) ? "chosen" : "",
					b ? "pointed" : m.has(u.index) ? "near" : ""
				], C = y ? 0 : zi(v, i);
				return /* @__PURE__ */ U(We, {
					index: u.index,
					name: u.name,
					formula: u.formula,
					sign: u.op && u.sign,
					x: h,
					y: g,
					width: f,
					height: p,
					classes: S.filter(Boolean).join(" "),
					spoken: Li(u, r && !y ? v : null, _),
					data: _ ? Z(u.data) : "·",
					grad: r ? y ? "?" : v === null ? "·" : Z(v) : null,
					gradientSign: v === null || y || X(v) ? "" : ze(v),
					bar: C > 0 ? Math.round(Math.max(2, C * (f - 4))) : 0,
					onPoint: o,
					onChoose: s
				}, u.index);
			}),
			h.map((e) => /* @__PURE__ */ U(Ke, { ...e }, `${e.x},${e.y}`))
		]
	});
}
// src/explore/Details.tsx
var Vi = "Point at a node for its value, gradient, rule and neighbours; at an edge for its local derivative.";
function Hi({ scene: e, layout: t, standing: n, pointed: r, showGradients: i }) {
	let a = r && "node" in r ? e.nodes[r.node] : void 0, o = r && "edge" in r ? t.edges[r.edge] : void 0;
	return a ? /* @__PURE__ */ U(Ui, {
		scene: e,
		layout: t,
		standing: n,
		node: a,
		showGradients: i
	}) : o ? /* @__PURE__ */ U(Wi, {
		scene: e,
		standing: n,
		edge: o,
		showGradients: i
	}) : /* @__PURE__ */ U("p", {
		class: "details soft small",
		children: Vi
	});
}
function Ui({ scene: e, layout: t, standing: n, node: r, showGradients: i }) {
	let a = n.known[r.index] ?? !1, o = e.steps.filter((e) => e.phase === "backward" && e.node === r.index && e.derivative), s = (t) => [...new Set(t)].map((t) => e.nodes[t].name).join(", ") || "nothing";
	return /* @__PURE__ */ U("div", {
		class: "details",
		"data-testid": "details",
		children: [/* @__PURE__ */ U("h3", { children: r.name }), /* @__PURE__ */ U("dl", { children: [
			/* @__PURE__ */ U(Q, {
				title: "value",
				children: /* @__PURE__ */ U(Ki, { of: a ? r.data : null })
			}),
			i && /* @__PURE__ */ U(Q, {
				title: "gradient",
				children: /* @__PURE__ */ U(Ki, { of: n.grads[r.index] ?? null })
			}),
			/* @__PURE__ */ U(Q, {
				title: "made by",
				long: !0,
				children: r.formula ? a && r.math ? /* @__PURE__ */ U(Ie, {
					of: r.math,
					label: r.formula
				}) : /* @__PURE__ */ U("code", { children: r.formula }) : "given"
			}),
			o.map((t) => /* @__PURE__ */ U(Q, {
				title: "rule",
				long: !0,
				children: /* @__PURE__ */ U(Gi, {
					of: r,
					by: e.nodes[t.parent],
					step: t
				})
			}, t.operand)),
			/* @__PURE__ */ U(Q, {
				title: "made from",
				children: s(t.edges.filter((e) => e.to === r.index).map((e) => e.from))
			}),
			/* @__PURE__ */ U(Q, {
				title: "used by",
				children: s(t.edges.filter((e) => e.from === r.index).map((e) => e.to))
			})
		] })]
	});
}
function Wi({ scene: e, standing: t, edge: n, showGradients: r }) {
	let i = Ri(e, n), [a, o] = [e.nodes[n.to], e.nodes[n.from]], s = t.grads[n.to] !== null;
	return /* @__PURE__ */ U("div", {
		class: "details",
		"data-testid": "details",
		children: [/* @__PURE__ */ U("h3", { children: [
			o.name,
			" → ",
			a.name
		] }), /* @__PURE__ */ U("dl", { children: [i && /* @__PURE__ */ U(Q, {
			title: "local derivative",
			long: !0,
			children: [/* @__PURE__ */ U(Gi, {
				of: a,
				by: o,
				step: i
			}), i.local !== null && i.local !== void 0 && /* @__PURE__ */ U("span", {
				class: "number",
				children: [" = ", H(i.local, 6)]
			})]
		}), i && r && /* @__PURE__ */ U(b, { children: [/* @__PURE__ */ U(Q, {
			title: "gradient that arrives",
			long: !0,
			children: /* @__PURE__ */ U(Ki, { of: s ? i.incoming ?? null : null })
		}), /* @__PURE__ */ U(Q, {
			title: `what ${o.name} receives`,
			long: !0,
			children: /* @__PURE__ */ U(Ki, { of: s ? i.contribution ?? null : null })
		})] })] })]
	});
}
function Q({ title: e, long: t = !1, children: n }) {
	return /* @__PURE__ */ U(b, { children: [/* @__PURE__ */ U("dt", { children: e }), /* @__PURE__ */ U("dd", {
		class: t ? "long" : "",
		children: n
	})] });
}
function Gi({ of: e, by: t, step: n }) {
	return /* @__PURE__ */ U(b, { children: [/* @__PURE__ */ U("span", {
		class: "soft",
		children: [
			"∂",
			e.name,
			"/∂",
			t.name,
			" =",
			" "
		]
	}), n.derivative && /* @__PURE__ */ U(Ie, { of: n.derivative })] });
}
function Ki({ of: e }) {
	return e === null ? /* @__PURE__ */ U("span", {
		class: "soft",
		children: "not known yet"
	}) : X(e) ? /* @__PURE__ */ U("span", {
		class: "number",
		children: [
			e.shape.join("×"),
			" ",
			e.dtype,
			", ",
			H(e.min, 3),
			" … ",
			H(e.max, 3),
			", mean ",
			H(e.mean, 3)
		]
	}) : /* @__PURE__ */ U("span", {
		class: "number",
		children: Z(e, 6)
	});
}
// src/explore/pictures.ts
var qi = [
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
function Ji(e) {
	let t = e.cloneNode(!0), [n, r] = [[e, ...e.querySelectorAll("*")], [t, ...t.querySelectorAll("*")]];
	n.forEach((e, t) => {
		let n = getComputedStyle(e), i = r[t];
		for (let e of qi) i.setAttribute(e, n.getPropertyValue(e));
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
async function Yi(e) {
	let { width: t, height: n } = e.viewBox.baseVal, r = new Image();
	r.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(Ji(e))}`, await r.decode();
	let i = document.createElement("canvas"), a = Math.min(2, 8e3 / Math.max(t, n));
	return [i.width, i.height] = [Math.ceil(t * a), Math.ceil(n * a)], i.getContext("2d").drawImage(r, 0, 0, i.width, i.height), new Promise((e, t) => i.toBlob((n) => n ? e(n) : t(/* @__PURE__ */ Error("the picture is too large"))));
}
function Xi(e, t, n) {
	let r = document.createElement("a");
	r.href = URL.createObjectURL(typeof t == "string" ? new Blob([t], { type: n }) : t), r.download = e, r.click(), setTimeout(() => URL.revokeObjectURL(r.href), 1e4);
}
// src/explore/Exports.tsx
var Zi = {
	adjoint: "adjoint",
	torch: "PyTorch"
};
function Qi({ model: e, scene: t, picture: n, at: r }) {
	let [i, a] = L(!1), [o, s] = L(""), c = e.get("kind"), l = (e) => s(e.message), u = (e) => {
		let t = n();
		t && Promise.resolve(e(t)).then(() => s(""), l);
	}, d = (e) => Xi("graph.svg", Ji(e), "image/svg+xml"), f = (e) => Yi(e).then((e) => Xi("graph.png", e, "image/png"));
	return /* @__PURE__ */ U("section", {
		class: "exports",
		"aria-label": "Take it with you",
		children: [/* @__PURE__ */ U("div", {
			class: "row buttons",
			children: [
				/* @__PURE__ */ U("span", {
					class: "small soft",
					role: "status",
					children: o
				}),
				/* @__PURE__ */ U("button", {
					onClick: () => u(d),
					children: "SVG"
				}),
				/* @__PURE__ */ U("button", {
					onClick: () => u(f),
					children: "PNG"
				}),
				c !== "recording" && /* @__PURE__ */ U("button", {
					onClick: () => Fi(e, "export", { at: r }).then(({ html: e }) => Xi("adjoint.html", e, "text/html"), l),
					title: "One HTML file that plays these steps, with no server",
					children: "HTML"
				}),
				c === "expression" && /* @__PURE__ */ U("button", {
					onClick: () => a(!i),
					"aria-expanded": i,
					children: "Copy as Python"
				})
			]
		}), i && /* @__PURE__ */ U($i, {
			model: e,
			scene: t,
			onSay: s
		})]
	});
}
function $i({ model: e, scene: t, onSay: n }) {
	let [r, i] = L(null), [a, o] = L("adjoint");
	return R(() => {
		let t = !0;
		return Fi(e, "program").then((e) => {
			t && (i(e), n(""));
		}, (e) => t && n(e.message)), () => {
			t = !1;
		};
	}, [e, t]), r ? /* @__PURE__ */ U("div", {
		class: "program",
		children: [/* @__PURE__ */ U("div", {
			class: "row",
			role: "group",
			"aria-label": "Library",
			children: [Object.keys(Zi).map((e) => /* @__PURE__ */ U("button", {
				"aria-pressed": a === e,
				onClick: () => o(e),
				children: Zi[e]
			}, e)), /* @__PURE__ */ U("button", {
				onClick: () => navigator.clipboard.writeText(r[a]).then(() => n("copied"), () => n("the browser allows no copying here; select the text")),
				children: "Copy"
			})]
		}), /* @__PURE__ */ U("pre", {
			tabIndex: 0,
			"aria-label": "Program",
			"data-testid": "program",
			children: r[a]
		})]
	}) : null;
}
// src/explore/Inputs.tsx
var ea = 1e6;
function ta({ names: e, numbers: t, gradients: n, showGradients: r, onMove: i }) {
	return /* @__PURE__ */ U("ul", {
		class: "inputs",
		"aria-label": "Inputs",
		children: e.map((e) => {
			let a = n.get(e) ?? null, o = a === null || X(a) ? "" : ze(a);
			return /* @__PURE__ */ U(ia, {
				name: e,
				x: Object.hasOwn(t, e) ? t[e] : 0,
				gradient: r ? a === null ? "·" : Z(a) : null,
				sign: o,
				onMove: i
			}, e);
		})
	});
}
var na = Be(({ name: e, x: t, wide: n, onMove: r }) => /* @__PURE__ */ U("input", {
	type: "range",
	min: -n,
	max: n,
	step: n / 200,
	value: String(t),
	"aria-label": `${e}, slider`,
	onInput: (e) => r(Number(e.currentTarget.value))
}));
function ra(e) {
	let t = Number(e.trim().replace("−", "-"));
	return e.trim() !== "" && Number.isFinite(t) && Math.abs(t) <= ea ? t : null;
}
function ia({ name: e, x: t, gradient: n, sign: r, onMove: i }) {
	let [a, o] = L(null), [s, c] = L(10), l = a !== null && ra(a) === null, u = B((t) => {
		o(null), i(e, t);
	}, [e, i]), d = (t) => {
		let n = ra(t);
		o(t), n !== null && (c(Math.max(s, Math.abs(n))), i(e, n));
	};
	return /* @__PURE__ */ U("li", { children: [
		/* @__PURE__ */ U("span", {
			class: "name",
			children: e
		}),
		/* @__PURE__ */ U(na, {
			name: e,
			x: t,
			wide: Math.max(s, Math.abs(t)),
			onMove: u
		}),
		/* @__PURE__ */ U("input", {
			type: "text",
			inputMode: "decimal",
			class: "number",
			value: a ?? String(Number(t.toPrecision(6))),
			"aria-label": `${e}, number`,
			"aria-invalid": l,
			onInput: (e) => d(e.currentTarget.value),
			onBlur: () => o(null)
		}),
		n !== null && /* @__PURE__ */ U("span", {
			class: `number gradient ${r}`,
			title: `the gradient: how fast the result changes with ${e}`,
			children: n
		}),
		l && /* @__PURE__ */ U("p", {
			class: "small wrong",
			role: "alert",
			children: `a number from −10⁶ to 10⁶ is expected; ${e} stays ${Number(t.toPrecision(6))}`
		})
	] });
}
// src/explore/traits.ts
function $(e, t) {
	let [n, r] = L(() => e.get(t));
	return R(() => {
		let n = () => r(() => e.get(t));
		return n(), e.on(`change:${t}`, n), () => e.off(`change:${t}`, n);
	}, [e, t]), n;
}
function aa(e, t, n) {
	return [$(e, t) ?? n, B((n) => {
		e.set(t, n), e.save_changes();
	}, [e, t])];
}
// src/explore/Nudge.tsx
function oa({ model: e, scene: t }) {
	let n = t.inputs, [r, i] = aa(e, "nudge", ""), [a, o] = aa(e, "h", "0.01"), [s, c] = L(null), [l, u] = L(""), d = n.includes(r) ? r : n[0] ?? "", f = a.trim() !== "" && Number.isFinite(Number(a)) ? Number(a) : null;
	return R(() => {
		if (!d || f === null) return c(null);
		let t = !0, n = setTimeout(() => {
			Fi(e, "nudge", {
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
	]), /* @__PURE__ */ U("section", {
		class: "card nudge",
		"aria-label": "Nudge",
		children: [
			/* @__PURE__ */ U("h3", { children: "Nudge" }),
			/* @__PURE__ */ U("p", {
				class: "soft small",
				children: "A gradient says how far the result moves when an input moves a little. The smaller the move, the better it predicts."
			}),
			/* @__PURE__ */ U("div", {
				class: "row",
				children: [/* @__PURE__ */ U("label", {
					class: "row",
					children: ["move", /* @__PURE__ */ U("select", {
						value: d,
						onChange: (e) => i(e.currentTarget.value),
						children: n.map((e) => /* @__PURE__ */ U("option", { children: e }, e))
					})]
				}), /* @__PURE__ */ U("label", {
					class: "row",
					children: ["by", /* @__PURE__ */ U("input", {
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
			f === null && /* @__PURE__ */ U("p", {
				class: "small wrong",
				children: "a number is expected, such as 0.01"
			}),
			l && /* @__PURE__ */ U("p", {
				class: "small wrong",
				children: l
			}),
			s && /* @__PURE__ */ U(sa, { found: s })
		]
	});
}
function sa({ found: e }) {
	let [t, n] = [Le(e.predicted), Le(e.real)], r = Math.abs(n - t), i = Math.max(Math.abs(t), Math.abs(n), 1e-300);
	return /* @__PURE__ */ U("dl", {
		class: "compare",
		"data-testid": "nudge",
		children: [
			/* @__PURE__ */ U("dt", { children: "predicted change" }),
			/* @__PURE__ */ U("dd", {
				class: "number",
				children: H(e.predicted, 5)
			}),
			/* @__PURE__ */ U(ca, {
				kind: "predicted",
				part: Math.abs(t) / i
			}),
			/* @__PURE__ */ U("dt", { children: "real change" }),
			/* @__PURE__ */ U("dd", {
				class: "number",
				children: H(e.real, 5)
			}),
			/* @__PURE__ */ U(ca, {
				kind: "real",
				part: Math.abs(n) / i
			}),
			/* @__PURE__ */ U("dt", { children: "off by" }),
			/* @__PURE__ */ U("dd", {
				class: "number",
				children: [
					H(r, 3),
					" ",
					/* @__PURE__ */ U("span", {
						class: "soft",
						children: r <= 1e-12 ? "exact" : Number.isFinite(r) ? `${H(100 * r / i, 2)} %` : ""
					})
				]
			})
		]
	});
}
function ca({ kind: e, part: t }) {
	return /* @__PURE__ */ U("dd", {
		class: "scale",
		"aria-hidden": "true",
		children: /* @__PURE__ */ U("span", {
			class: `measure ${e}`,
			style: { width: `${Number.isFinite(t) ? 100 * t : 0}%` }
		})
	});
}
// src/explore/icons.tsx
var la = {
	play: "M7 4.5v15l12-7.5z",
	pause: "M6 4.5h4v15H6zM14 4.5h4v15h-4z",
	forward: "M5 4.5v15l10-7.5zM16.5 4.5h2.6v15h-2.6z",
	back: "M19 4.5v15L9 12zM4.9 4.5h2.6v15H4.9z",
	reset: "M12 5a7 7 0 1 1-6.7 9h2.2A5 5 0 1 0 12 7v3.5L6.5 6 12 1.5z",
	end: "M4 4.5v15l8-7.5zM12 4.5v15l8-7.5z"
};
function ua({ name: e }) {
	return /* @__PURE__ */ U("svg", {
		viewBox: "0 0 24 24",
		"aria-hidden": "true",
		children: /* @__PURE__ */ U("path", { d: la[e] })
	});
}
// src/explore/progress.ts
var da = [
	.5,
	1,
	2,
	4
];
function fa(e, t) {
	let n = e.nodes.map((e) => e.operands.length === 0), r = e.nodes.map((t) => e.steps.length ? null : t.grad);
	for (let i of e.steps.slice(0, t)) i.phase === "forward" ? n[i.node] = !0 : i.phase === "seed" ? r[i.node] = e.nodes[i.node].grad : i.phase === "backward" ? r[i.parent] = i.after : r[i.node] = i.after;
	return {
		known: n,
		grads: r,
		step: t > 0 ? e.steps[t - 1] ?? null : null
	};
}
function pa(e) {
	let t = e.nodes.map((e) => X(e.grad) ? 0 : Math.abs(Number(e.grad))).filter(Number.isFinite);
	return Math.max(1e-300, ...t);
}
function ma(e, t, n) {
	return t === 0 ? "nothing to compute" : n === 0 ? `${t} steps` : n <= e ? `forward ${n} of ${e}` : `backward ${n - e} of ${t - e}`;
}
// src/explore/Player.tsx
var ha = Be(({ forward: e, last: t, at: n, playing: r, speed: i, onGo: a, onStep: o, onPlay: s, onSpeed: c }) => /* @__PURE__ */ U("div", {
	class: "player",
	children: [
		/* @__PURE__ */ U("div", {
			class: "row",
			role: "group",
			"aria-label": "Player",
			children: [
				/* @__PURE__ */ U("button", {
					class: "icon",
					"aria-label": "Back to the start (R)",
					title: "Back to the start (R)",
					onClick: () => a(0),
					"aria-disabled": n === 0,
					children: /* @__PURE__ */ U(ua, { name: "reset" })
				}),
				/* @__PURE__ */ U("button", {
					class: "icon",
					"aria-label": "One step back (←)",
					title: "One step back (←)",
					onClick: () => o(-1),
					"aria-disabled": n === 0,
					children: /* @__PURE__ */ U(ua, { name: "back" })
				}),
				/* @__PURE__ */ U("button", {
					class: "icon main",
					"aria-label": r ? "Pause (Space)" : "Play (Space)",
					title: r ? "Pause (Space)" : "Play (Space)",
					onClick: s,
					"aria-disabled": t === 0,
					children: /* @__PURE__ */ U(ua, { name: r ? "pause" : "play" })
				}),
				/* @__PURE__ */ U("button", {
					class: "icon",
					"aria-label": "One step forward (→)",
					title: "One step forward (→)",
					onClick: () => o(1),
					"aria-disabled": n === t,
					children: /* @__PURE__ */ U(ua, { name: "forward" })
				}),
				/* @__PURE__ */ U("button", {
					class: "icon",
					"aria-label": "To the end (End)",
					title: "To the end (End)",
					onClick: () => a(t),
					"aria-disabled": n === t,
					children: /* @__PURE__ */ U(ua, { name: "end" })
				})
			]
		}),
		/* @__PURE__ */ U("div", {
			class: "scrub",
			children: [/* @__PURE__ */ U("input", {
				type: "range",
				min: 0,
				max: t,
				step: 1,
				value: String(n),
				"aria-label": "Step",
				"aria-valuetext": ma(e, t, n),
				onInput: (e) => a(Number(e.currentTarget.value))
			}), /* @__PURE__ */ U("div", {
				class: "phases small soft",
				"aria-hidden": "true",
				children: [/* @__PURE__ */ U("span", {
					style: { flexGrow: e },
					children: "forward"
				}), /* @__PURE__ */ U("span", {
					style: { flexGrow: Math.max(0, t - e) },
					children: "backward"
				})]
			})]
		}),
		/* @__PURE__ */ U("span", {
			class: "small soft place",
			children: ma(e, t, n)
		}),
		/* @__PURE__ */ U("label", {
			class: "row small soft",
			children: ["speed", /* @__PURE__ */ U("select", {
				value: String(i),
				onChange: (e) => c(Number(e.currentTarget.value)),
				children: da.map((e) => /* @__PURE__ */ U("option", {
					value: String(e),
					children: `${e}×`
				}, e))
			})]
		})
	]
})), ga = "The values are given. Press Play, or → for one step: first each operation is computed, then the chain rule goes back from the result.";
function _a({ step: e, at: t }) {
	let n = e === null ? "Start" : {
		forward: "Forward",
		seed: "Backward begins",
		backward: "Backward",
		hook: "Hook"
	}[e.phase];
	return /* @__PURE__ */ U("div", {
		class: `sentence ${e?.phase ?? "begin"}`,
		children: [
			/* @__PURE__ */ U("h3", { children: e === null ? n : `${n} · step ${t}` }),
			e?.math && /* @__PURE__ */ U("div", {
				class: "formula",
				role: "math",
				"aria-label": e.text,
				children: Pe(e.math).map((e, t) => /* @__PURE__ */ U(Ie, { of: e }, t))
			}),
			/* @__PURE__ */ U("p", {
				class: e ? "number told" : "soft",
				"aria-live": "polite",
				"data-testid": "step-text",
				children: e?.text ?? ga
			})
		]
	});
}
// src/explore/useLayout.ts
var va = 40;
function ya(e) {
	let t = we(null), [n, r] = L(1e3), i = we(null);
	return (i.current?.layout.key !== ki(e) || i.current.width !== n) && (i.current = {
		layout: Ai(e, n),
		width: n
	}), Ce(() => {
		let e = t.current, n = () => e.clientWidth && r(Math.floor(e.clientWidth / va) * va);
		n();
		let i = new ResizeObserver(n);
		return i.observe(e), () => i.disconnect();
	}, []), {
		layout: i.current.layout,
		canvas: t
	};
}
// src/explore/Explore.tsx
function ba(e) {
	e.target.setAttribute("data-lm-suppress-shortcuts", "true");
}
function xa({ model: e }) {
	let t = $(e, "scene"), n = $(e, "error");
	return /* @__PURE__ */ U("div", {
		class: "explore",
		onFocusIn: ba,
		children: [e.get("kind") === "expression" && /* @__PURE__ */ U(Sa, {
			model: e,
			error: n
		}), t ? /* @__PURE__ */ U(Ca, {
			model: e,
			scene: t
		}) : !n && /* @__PURE__ */ U("p", {
			class: "soft",
			children: "…"
		})]
	});
}
function Sa({ model: e, error: t }) {
	let n = $(e, "expression"), r = $(e, "presets") ?? [], i = (t, n) => {
		e.set("expression", t), n && e.set("numbers", { ...n }), n && e.set("at", null), e.save_changes();
	};
	return /* @__PURE__ */ U("section", {
		class: "expression card",
		"aria-label": "Expression",
		children: [
			/* @__PURE__ */ U("label", {
				class: "box",
				children: [/* @__PURE__ */ U("span", {
					class: "small soft",
					children: "Expression"
				}), /* @__PURE__ */ U("input", {
					type: "text",
					spellcheck: !1,
					autocomplete: "off",
					autocapitalize: "off",
					value: n,
					"aria-invalid": !!t,
					"aria-describedby": t ? "expression-error" : void 0,
					onInput: (e) => i(e.currentTarget.value)
				})]
			}),
			/* @__PURE__ */ U("div", {
				class: "row presets",
				role: "group",
				"aria-label": "Examples",
				children: r.map((e) => /* @__PURE__ */ U("button", {
					class: "chip",
					"aria-pressed": e.expression === n,
					onClick: () => i(e.expression, e.numbers),
					children: e.title
				}, e.title))
			}),
			t && /* @__PURE__ */ U("pre", {
				id: "expression-error",
				class: "callout",
				role: "alert",
				children: t
			})
		]
	});
}
function Ca({ model: e, scene: t }) {
	let n = $(e, "numbers") ?? {}, r = t.steps.length, i = wa($(e, "at"), r), [a, o] = L(!1), [s, c] = aa(e, "speed", 1), [l, u] = aa(e, "gradients", !0), [d, f] = L(null), { layout: p, canvas: m } = ya(t), h = z(() => fa(t, i), [t, i]), g = z(() => t.steps.filter((e) => e.phase === "forward").length, [t]), _ = z(() => pa(t), [t]), v = B(() => wa(e.get("at"), r), [e, r]), y = B((t) => {
		e.set("at", Math.max(0, Math.min(r, t))), e.save_changes();
	}, [e, r]), b = B((e) => {
		o(!1), y(e);
	}, [y]), x = B((e) => b(v() + e), [b, v]), S = B(() => {
		!a && v() >= r && y(0), o(!a && r > 0);
	}, [
		a,
		v,
		r,
		y
	]);
	R(() => {
		if (!a) return;
		let e = setInterval(() => {
			v() < r && y(v() + 1), v() >= r && o(!1);
		}, 900 / s);
		return () => clearInterval(e);
	}, [
		a,
		s,
		v,
		r,
		y
	]);
	let C = (e) => {
		let t = (t) => e.target instanceof Element && e.target.matches(t);
		if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || t("input, select, textarea, pre") || e.key === " " && t("button")) return;
		let n = {
			" ": S,
			ArrowRight: () => x(1),
			ArrowLeft: () => x(-1),
			r: () => b(0),
			R: () => b(0),
			Home: () => b(0),
			End: () => b(r)
		}[e.key];
		n && (e.preventDefault(), n());
	}, w = we(C);
	w.current = C, R(() => {
		let t = e.get("kind") === "widget" ? m.current.closest(".explore") : document, n = (e) => w.current(e);
		return t.addEventListener("keydown", n), () => t.removeEventListener("keydown", n);
	}, [e]), R(() => {
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
	let T = B((t, n) => {
		e.set("numbers", {
			...e.get("numbers"),
			[t]: n
		}), e.save_changes();
	}, [e]), E = new Map(t.nodes.filter((e) => !e.op).map((e) => [e.name, h.grads[e.index] ?? null])), ee = e.get("kind") !== "recording", D = e.get("title"), O = z(() => /* @__PURE__ */ U(Bi, {
		scene: t,
		layout: p,
		standing: h,
		showGradients: l,
		largest: _,
		pointed: d,
		onPoint: f,
		label: "The graph; Tab goes through its nodes in the order of evaluation"
	}), [
		t,
		p,
		h,
		l,
		_,
		d
	]);
	return /* @__PURE__ */ U("div", {
		class: "stage",
		children: [
			D && /* @__PURE__ */ U("h2", {
				class: "stage-title",
				children: D
			}),
			t.inputs.length > 0 && ee && /* @__PURE__ */ U("section", {
				class: "card side",
				"aria-label": "Inputs",
				children: [/* @__PURE__ */ U("div", {
					class: "row spread",
					children: [/* @__PURE__ */ U("h3", { children: "Inputs" }), l && /* @__PURE__ */ U("span", {
						class: "small soft",
						children: "gradient"
					})]
				}), /* @__PURE__ */ U(ta, {
					names: t.inputs,
					numbers: n,
					gradients: E,
					showGradients: l,
					onMove: T
				})]
			}),
			/* @__PURE__ */ U("section", {
				class: "card board",
				"aria-label": "Graph",
				children: [
					/* @__PURE__ */ U(ha, {
						forward: g,
						last: r,
						at: i,
						playing: a,
						speed: s,
						onGo: b,
						onStep: x,
						onPlay: S,
						onSpeed: c
					}),
					/* @__PURE__ */ U("div", {
						class: "told-and-pointed",
						children: [/* @__PURE__ */ U(_a, {
							step: h.step,
							at: i
						}), /* @__PURE__ */ U(Hi, {
							scene: t,
							layout: p,
							standing: h,
							pointed: d,
							showGradients: l
						})]
					}),
					/* @__PURE__ */ U("div", {
						class: "canvas",
						ref: m,
						children: O
					}),
					/* @__PURE__ */ U("div", {
						class: "row foot",
						children: [/* @__PURE__ */ U("label", {
							class: "row small",
							children: [/* @__PURE__ */ U("input", {
								type: "checkbox",
								checked: l,
								onChange: (e) => u(e.currentTarget.checked)
							}), "show gradients"]
						}), /* @__PURE__ */ U(Qi, {
							model: e,
							scene: t,
							at: i,
							picture: () => m.current?.querySelector("svg") ?? null
						})]
					})
				]
			}),
			t.inputs.length > 0 && ee && /* @__PURE__ */ U(oa, {
				model: e,
				scene: t
			})
		]
	});
}
function wa(e, t) {
	return Math.min(e ?? t, t);
}
// src/explore/Still.tsx
function Ta({ scene: e, options: t }) {
	let [n, r] = L(null), { layout: i, canvas: a } = ya(e), { onChoose: o } = t;
	return /* @__PURE__ */ U("div", {
		class: "canvas",
		ref: a,
		children: /* @__PURE__ */ U(Bi, {
			scene: e,
			layout: i,
			standing: fa(e, t.at ?? e.steps.length),
			showGradients: t.showGradients ?? !0,
			largest: pa(e),
			pointed: n,
			onPoint: r,
			onChoose: o && ((t) => o(e.nodes[t].name)),
			asked: t.asked,
			chosen: t.chosen,
			label: "The graph of the question"
		})
	});
}
// src/explore/index.tsx
function Ea({ model: e, el: t }) {
	return t.closest(".adjoint") || t.classList.add("adjoint"), N(/* @__PURE__ */ U(xa, { model: e }), t), () => N(null, t);
}
function Da(e, t, n = {}) {
	return N(/* @__PURE__ */ U(Ta, {
		scene: t,
		options: n
	}), e), () => N(null, e);
}
var Oa = { render: Ea }, ka = typeof document > "u" ? null : document.getElementById("adjoint-recording");
ka && Ea({
	model: Ii(JSON.parse(ka.textContent ?? "")),
	el: document.getElementById("explore")
});
export { Oa as default, Da as still };
