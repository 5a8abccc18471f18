// The submit page and the choice of final files. Every check here is repeated by the server.
(function () {
  "use strict";
  var $ = function (s, r) { return (r || document).querySelector(s); };
  var $$ = function (s, r) { return Array.prototype.slice.call((r || document).querySelectorAll(s)); };

  // at most two final choices
  var fin = $("[data-final]");
  if (fin) {
    var upd = function () {
      var on = $$("input:checked", fin).length;
      $("[data-final-count]").textContent = on;
      $$("input[type=checkbox]", fin).forEach(function (c) { if (!c.dataset.locked) c.disabled = c.hasAttribute("data-off") || (on >= 2 && !c.checked); });
    };
    $$("input:disabled", fin).forEach(function (c) { c.setAttribute("data-off", ""); });
    fin.addEventListener("change", upd); upd();
  }

  // checks before upload
  var form = $("[data-submit]");
  if (!form) return;
  var drop = $("[data-drop]"), input = $("input[type=file]", drop), list = $("[data-checks]"), send = $("[data-send]");
  var fmt = function (n) { return n.toLocaleString("en"); };
  ["dragenter", "dragover"].forEach(function (e) { drop.addEventListener(e, function () { drop.classList.add("over"); }); });
  ["dragleave", "drop"].forEach(function (e) { drop.addEventListener(e, function () { drop.classList.remove("over"); }); });
  var set = function (k, cls, text) {
    var li = $('[data-c="' + k + '"]', list); li.className = cls; $(".d", li).textContent = text;
  };
  var reset = function () { ["size", "head", "rows", "dup", "val"].forEach(function (k) { set(k, "wait", ""); }); send.disabled = true; };

  function check(file) {
    reset();
    $("[data-file]").hidden = false; drop.hidden = true;
    $("[data-name]").textContent = file.name;
    $("[data-size]").textContent = (file.size / 1048576).toFixed(1) + " MB";
    if (file.size > 64 * 1048576) { set("size", "bad", "over 64 MB: save fewer digits, or compress"); return; }
    set("size", "ok", (file.size / 1048576).toFixed(1) + " MB");
    if (!/\.csv$/i.test(file.name)) { set("head", "warn", "not plain CSV: checked on the server"); send.disabled = false; return; }
    file.text().then(function (text) {
      var idc = list.dataset.id, valc = list.dataset.value, want = +list.dataset.rows;
      var lines = text.replace(/^\uFEFF/, "").split(/\r?\n/); if (lines[lines.length - 1] === "") lines.pop();
      var head = lines[0].split(",").map(function (s) { return s.trim().replace(/^"|"$/g, ""); });
      var a = head.indexOf(idc), b = head.indexOf(valc), ok = true;
      if (a < 0 || b < 0) { set("head", "bad", "line 1 is “" + lines[0].slice(0, 40) + "”, needs " + idc + "," + valc); return; }
      set("head", "ok", head.join(","));
      var seen = new Set(), dup = 0, badn = 0, first = 0, why = "";
      for (var i = 1; i < lines.length; i++) {
        var c = lines[i].split(","), v = (c[b] || "").trim();
        if (seen.has(c[a])) dup = dup || i + 1; else seen.add(c[a]);
        if (v === "" || !(+v >= 0 && +v <= 1)) { badn++; if (!first) { first = i + 1; why = v === "" ? "is empty" : "is " + v.slice(0, 12); } }
      }
      var n = lines.length - 1;
      if (n === want) set("rows", "ok", fmt(n)); else { ok = false; set("rows", "bad", fmt(n) + ", needs " + fmt(want)); }
      if (dup) { ok = false; set("dup", "bad", "line " + dup + " repeats an id"); } else set("dup", "ok", "");
      if (badn) { ok = false; set("val", "bad", "line " + first + ": " + valc + " " + why + (badn > 1 ? ", and " + fmt(badn - 1) + " more" : "")); } else set("val", "ok", "all from 0 to 1");
      send.disabled = !ok;
    });
  }
  input.addEventListener("change", function () { if (input.files[0]) check(input.files[0]); });
  $("[data-clear]").addEventListener("click", function () { input.value = ""; $("[data-file]").hidden = true; drop.hidden = false; reset(); input.focus(); });
  // stand-in for the real upload: htmx fires htmx:xhr:progress with the same numbers
  form.addEventListener("submit", function (ev) {
    ev.preventDefault(); send.disabled = true;
    var p = $("[data-progress]"), t = $("[data-progress-text]"), v = 0; p.hidden = false;
    var tick = setInterval(function () { v = Math.min(100, v + 7); p.value = v; t.textContent = v < 100 ? "Uploading, " + v + "%" : "Uploaded. Opening the live status."; if (v >= 100) { clearInterval(tick); location.href = form.getAttribute("action"); } }, 90);
  });
})();
