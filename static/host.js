// Host pages: the two charts of the activity page, and the settings form that fills itself in.
// Without scripts the charts stand as a table and the form works with its buttons.
(function () {
  "use strict";
  var $ = function (s, r) { return (r || document).querySelector(s); };
  var $$ = function (s, r) { return Array.prototype.slice.call((r || document).querySelectorAll(s)); };

  // ---- charts ----
  var probe = document.createElement("span"); probe.hidden = true; document.body.appendChild(probe);
  var tok = function (name, alpha) {
    probe.style.color = "var(--" + name + ")";
    var c = getComputedStyle(probe).color;
    return alpha === undefined ? c : c.replace("rgb(", "rgba(").replace(")", ", " + alpha + ")");
  };
  var font = '12px "Plex Sans", system-ui, sans-serif', made = [];
  var MON = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  var day = function (u, v) { return v.map(function (s) { var d = new Date(s * 1000); return d.getUTCDate() + " " + MON[d.getUTCMonth()]; }); };
  var plain = function (u, v) { return v; };
  function axes(yfmt, xfmt, size) {
    var a = { stroke: tok("ink-2"), font: font, grid: { stroke: tok("line"), width: 1 }, ticks: { show: false } };
    return [Object.assign({}, a, { grid: { show: false }, values: xfmt, space: 60, size: 28 }), Object.assign({}, a, { values: function (u, v) { return v.map(yfmt); }, size: size || 40, space: 34 })];
  }
  function make(el, opts, data) {
    opts.width = el.clientWidth; opts.height = opts.height || 240; opts.legend = { show: false };
    opts.cursor = { points: { size: 7 }, drag: { x: false, y: false } };
    el.textContent = "";
    made.push([el, new uPlot(opts, data, el)]);
  }
  var whole = function (v) { return v % 1 ? "" : String(v); };
  var fromZero = function (u, a, z) { return [0, Math.max(z, 1) * 1.1]; };
  var kinds = {
    subs: function (el, d) {
      make(el, { scales: { x: { time: true, range: function (u, a, z) { return [a - 43200, z + 43200]; } }, y: { range: fromZero } }, axes: axes(whole, day),
        series: [{}, { fill: tok("public"), stroke: tok("public"), width: 0, paths: uPlot.paths.bars({ size: [.7, 40] }), points: { show: false } }] }, [d.t, d.subs]);
    },
    teams: function (el, d) {
      make(el, { scales: { x: { time: true }, y: { range: fromZero } }, axes: axes(whole, day),
        series: [{}, { stroke: tok("public"), fill: tok("public-soft", .7), width: 2.5, points: { show: false } }] }, [d.t, d.teams]);
    }
  };
  // One course of an honest team, and one attack; None in the data is a gap in the drawing.
  var none = function () { return null; };
  var stepped = function () { return { stroke: "transparent", paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }; };
  var dots = function (fill, line, width) { return { stroke: tok("public"), width: 0, paths: none, points: { show: true, size: 8, fill: fill, stroke: line, width: width } }; };
  function ends(lists, around) {
    var all = [].concat.apply([], lists).filter(function (v) { return v !== null; }), a = Math.min.apply(null, all), z = Math.max.apply(null, all);
    var room = Math.max(z - a, around) * .14;
    return [a - room, z + room];
  }
  var digits = function (range) { var d = Math.min(6, Math.max(0, Math.ceil(-Math.log10(range[1] - range[0])) + 1)); return function (v) { return v.toFixed(d); }; };
  // Better is up for every metric: where lower is better the axis runs the other way.
  var scored = function (range, up) { return { x: { time: false }, y: { range: range, dir: up ? 1 : -1 } }; };
  var foot = function (flags, range, up) { return flags.map(function (f) { return f ? range[0] + (range[1] - range[0]) * (up ? .04 : .96) : null; }); };
  kinds.honest = function (el, d) {
    var h = d.honest, r = ends([h.true, h.upper, h.lower, h.released], d.resolution);
    make(el, { scales: scored(r, d.up !== false), axes: axes(digits(r), plain, 56),
      series: [{}, stepped(), stepped(), { stroke: tok("private"), width: 2, points: { show: false } }, Object.assign(stepped(), { stroke: tok("public"), width: 2 }), dots(tok("public"), tok("surface"), 1.5), dots(tok("surface"), tok("public"), 1.5)],
      bands: [{ series: [1, 2], fill: tok("doubt-band", .5) }] }, [h.file, h.upper, h.lower, h.true, h.best, h.released, foot(h.no_score, r, d.up !== false)]);
  };
  kinds.attack = function (el, d) {
    var a = d.attack, flat = function (v) { return a.file.map(function () { return v; }); };
    var r = ends([[a.upper, a.lower], a.exact, a.best, a.released], d.resolution);
    make(el, { scales: scored(r, d.up !== false), axes: axes(digits(r), plain, 56),
      series: [{}, { stroke: "transparent", points: { show: false } }, { stroke: "transparent", points: { show: false } }, { stroke: tok("private"), width: 2, points: { show: false } }, { stroke: tok("bad"), width: 2, dash: [5, 3], points: { show: false } }, { stroke: tok("public"), width: 2, points: { show: false } }, dots(tok("public"), tok("surface"), 1.5), dots(tok("surface"), tok("public"), 2)],
      bands: [{ series: [1, 2], fill: tok("doubt-band", .5) }] }, [a.file, flat(a.upper), flat(a.lower), flat(a.truth), a.exact, a.best, a.released, foot(a.no_score, r, d.up !== false)]);
  };
  function drawAll() {
    made = [];
    $$("[data-host-chart]").forEach(function (el) {
      var source = document.getElementById(el.dataset.src);
      if (source && kinds[el.dataset.hostChart] && el.clientWidth) kinds[el.dataset.hostChart](el, JSON.parse(source.textContent));
    });
  }
  (document.fonts && document.fonts.ready ? document.fonts.ready : Promise.resolve()).then(drawAll);
  document.addEventListener("theme", drawAll);
  document.addEventListener("htmx:afterSwap", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  var rt; addEventListener("resize", function () { clearTimeout(rt); rt = setTimeout(function () { made.forEach(function (m) { m[1].setSize({ width: m[0].clientWidth, height: m[1].height }); }); }, 120); });

  // ---- release settings ----
  var form = $("[data-release]");
  if (!form) return;
  var preview = $("#preview"), wait;
  var ask = function () { clearTimeout(wait); wait = setTimeout(function () { htmx.trigger(preview, "preview"); }, 300); };
  var says = function (name) { $$("[data-says]").forEach(function (d) { d.hidden = d.dataset.says !== name; }); };
  var custom = function () {
    $$('[name="preset"]').forEach(function (r) { r.checked = r.value === "custom"; });
    form.elements.filled.value = "custom"; says("custom");
  };
  $$("[data-ends]").forEach(function (e) { e.hidden = false; });
  $$("[data-slider]").forEach(function (s) {
    var field = document.getElementById(s.dataset.slider);
    s.hidden = false;
    s.addEventListener("input", function () { field.value = s.value; custom(); ask(); });
    field.addEventListener("input", function () { if (field.value !== "" && isFinite(field.value)) s.value = field.value; });
  });
  form.addEventListener("input", function (ev) {
    if (ev.target.closest("[data-values]")) { custom(); ask(); }
  });
  form.addEventListener("change", function (ev) {
    var name = ev.target.name;
    if (name === "preset") {
      says(ev.target.value);
      if (ev.target.dataset.fill) location.href = ev.target.dataset.fill + "#pr-h";
      else form.elements.filled.value = "custom";
    } else if (name === "rule") {
      // Another rule reads other values: the server draws the form again with what was typed.
      custom(); form.elements.redraw.value = "1"; form.submit();
    } else if (name === "start") ask();
  });
})();
