// The best-over-time chart, drawn with uPlot from data in the page.
// Colours come from the stylesheet's tokens, so both themes share one list.
(function () {
  "use strict";
  var probe = document.createElement("span"); probe.hidden = true; document.body.appendChild(probe);
  function tok(n, alpha) {
    probe.style.color = "var(--" + n + ")";
    var c = getComputedStyle(probe).color;
    return alpha === undefined ? c : c.replace("rgb(", "rgba(").replace(")", ", " + alpha + ")");
  }
  var COLOURS = { k1: "public", k2: "private", k3: "doubt", k4: "ink-3", k7: "ink" };
  var MON = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  var font = '12px "Plex Sans", system-ui, sans-serif', made = [];

  function day(s) { var d = new Date(s * 1000); return d.getUTCDate() + " " + MON[d.getUTCMonth()]; }
  // Ticks nearer than a day would repeat a date; those show the hour.
  function days(u, values) {
    var close = values.length > 1 && values[1] - values[0] < 86400;
    return values.map(function (s) {
      var d = new Date(s * 1000), hour = ("0" + d.getUTCHours()).slice(-2) + ":" + ("0" + d.getUTCMinutes()).slice(-2);
      return close && hour !== "00:00" ? hour : day(s);
    });
  }
  function printed(v, decimals) {
    return v.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).replace("-", "\u2212");
  }
  // The labels have as many decimals as their distance needs, never more than the display grid.
  // A band may reach past the end of the metric's range: a score that nobody can have is no label.
  function scores(decimals, range) {
    return function (u, values) {
      var gap = values.length > 1 ? Math.abs(values[1] - values[0]) : 1;
      var need = Math.min(decimals, Math.max(0, Math.ceil(-Math.log10(gap) - 1e-9)));
      return values.map(function (v) {
        var beyond = (range[0] !== null && v < range[0] - 1e-9) || (range[1] !== null && v > range[1] + 1e-9);
        return beyond ? "" : printed(v, need);
      });
    };
  }
  function axis(more) { return Object.assign({ stroke: tok("ink-2"), font: font, grid: { stroke: tok("line"), width: 1 }, ticks: { show: false } }, more); }

  function best(el) {
    var d = JSON.parse(document.getElementById(el.dataset.src).textContent), first = d.series[0].v;
    var shift = function (by) { return first.map(function (v) { return v === null ? null : v + by; }); };
    var step = uPlot.paths.stepped({ align: 1 }), edge = { paths: step, stroke: "transparent", points: { show: false } };
    // A dot ends each line: a score of just now has no length yet, and would not be seen.
    function last(u, i) {
      var v = u.data[i], at = v.length - 1;
      while (at >= 0 && v[at] == null) { at -= 1; }
      return at < 0 ? [] : [at];
    }
    var lines = d.series.map(function (s) {
      var colour = tok(COLOURS[s.look[0]]);
      return { stroke: colour, width: s.look[1], dash: s.look[2], paths: step, points: { show: true, filter: last, size: 7, stroke: colour, fill: colour, width: 0 } };
    });
    var y = {
      // Better is up for every metric: where lower is better the axis runs the other way.
      dir: d.up ? 1 : -1,
      range: function (u, low, high) { var pad = Math.max((high - low) * .06, d.band / 2); return [low - pad, high + pad]; }
    };
    el.textContent = "";
    made.push([el, new uPlot({
      width: el.clientWidth, height: 300, tzDate: function (s) { return uPlot.tzDate(new Date(s * 1000), "UTC"); }, legend: { show: false },
      cursor: { points: { size: 7 }, drag: { x: false, y: false } }, scales: { x: { time: true }, y: y },
      axes: [axis({ grid: { show: false }, values: days, space: 60, size: 28 }), axis({ values: scores(d.decimals, d.range), size: 56, space: 34 })],
      series: [{}, edge, edge].concat(lines), bands: [{ series: [1, 2], fill: tok("doubt-band", .45) }]
    }, [d.t, shift(d.band), shift(-d.band)].concat(d.series.map(function (s) { return s.v; })), el)]);
  }
  function all() {
    made.forEach(function (m) { m[1].destroy(); });
    made = [];
    Array.prototype.forEach.call(document.querySelectorAll('[data-chart="best"]'), best);
  }
  (document.fonts && document.fonts.ready ? document.fonts.ready : Promise.resolve()).then(all);
  document.addEventListener("theme", all);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
  var wait; addEventListener("resize", function () {
    clearTimeout(wait);
    wait = setTimeout(function () { made.forEach(function (m) { m[1].setSize({ width: m[0].clientWidth, height: 300 }); }); }, 120);
  });
})();
