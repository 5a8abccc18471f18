// The submit page: drop zone, checks before anything is sent, progress of the upload, check only.
// The worker repeats every check; without this file the form works as a plain form.
(function () {
  "use strict";
  var $ = function (s, r) { return (r || document).querySelector(s); };
  var form = $("[data-submit]");
  if (!form || !window.FormData) return;
  var drop = $("[data-drop]"), input = $("input[type=file]", drop), list = $("[data-checks]"), send = $("[data-send]"), only = $("[data-check-only]");
  var bar = $("[data-progress]"), text = $("[data-progress-text]"), told = $("[data-refusal]"), clear = $("[data-clear]");
  var rules = JSON.parse(document.getElementById(list.dataset.rules).textContent);
  var full = form.hasAttribute("data-full"), turn = 0, asked = {};
  var KEYS = ["size", "head", "rows", "ids", "dup", "val"].filter(line);
  var SHOWN = 40, label = send.textContent;
  // Rows of probabilities that are this far from 1 are surely wrong; the server looks closer.
  var SUM_OFF = 0.05;

  function count(n) { return n.toLocaleString("en"); }
  function bytes(n) {
    var units = [[1073741824, "GiB"], [1048576, "MiB"], [1024, "KiB"]];
    for (var i = 0; i < units.length; i++) if (n >= units[i][0]) return +(n / units[i][0]).toFixed(1) + " " + units[i][1];
    return n + " bytes";
  }
  function line(key) { return $('[data-c="' + key + '"]', list); }
  function set(key, kind, words) {
    var row = line(key);
    if (row) { row.className = kind; $(".d", row).textContent = words; }
  }
  KEYS.forEach(function (key) { asked[key] = $(".d", line(key)).textContent; });
  function reset() { KEYS.forEach(function (key) { set(key, "wait", asked[key]); }); line("new").hidden = true; ready(false); }
  // A doubtful file may be sent: the server knows better and a rejected file costs nothing.
  function ready(on, doubtful) {
    send.disabled = !on || full; only.disabled = !on;
    send.textContent = doubtful ? "Upload all the same" : label;
    text.textContent = doubtful ? "The server would probably reject this file. That would not use up a submission; Check only says all that is wrong." : "";
  }
  function cut(s) { return s.length > SHOWN ? s.slice(0, SHOWN - 1) + "…" : s; }

  // ---- reading ----
  // Rows of a comma-separated text, quotation marks understood; gives each row to `each`, with the
  // number of the line it begins on, until `each` says false.
  function rows(s, each) {
    var at = 0, number = 1, size = s.length;
    while (at < size) {
      var fields = [], begun = number, open = true;
      while (open) {
        var value;
        if (s.charCodeAt(at) === 34) {
          value = ""; at++;
          for (;;) {
            var end = s.indexOf('"', at);
            if (end < 0) { value += s.slice(at); at = size; break; }
            value += s.slice(at, end);
            if (s.charCodeAt(end + 1) === 34) { value += '"'; at = end + 2; continue; }
            at = end + 1; break;
          }
          number += value.split("\n").length - 1;
        } else {
          var from = at, code;
          while (at < size && (code = s.charCodeAt(at)) !== 44 && code !== 10 && code !== 13) at++;
          value = s.slice(from, at);
        }
        fields.push(value);
        var next = s.charCodeAt(at);
        if (next === 44) { at++; continue; }
        if (next === 13) at++;
        if (s.charCodeAt(at) === 10) at++;
        number++; open = false;
      }
      if (each(fields, begun) === false) return;
    }
  }
  // A reason why a value cannot stand there, or nothing.
  function fault(v) {
    if (rules.kind === "text") return v === "" && !rules.allowEmpty ? "is empty" : "";
    if (v === "") return "is empty";
    if (rules.kind === "label") return rules.classes.indexOf(v) < 0 ? "is “" + cut(v) + "”" : "";
    var n = Number(v);
    if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(v) || !isFinite(n)) return "is “" + cut(v) + "”";
    // Six significant digits count, as in scoring: 1.0000002 is 1.
    n = Number(n.toPrecision(6));
    if (rules.low !== null && n < rules.low || rules.high !== null && n > rules.high) return "is " + cut(v);
    return "";
  }
  function sameId(v) { return rules.idType === "int" && /^[-+]?\d+(\.0+)?$/.test(v) ? String(+v) : v; }

  function look(s) {
    var places = null, idAt = -1, seen = new Set(), dup = 0, bad = 0, first = 0, why = "", n = 0, fine = true;
    var sums = rules.kind === "probabilities";
    rows(s.charCodeAt(0) === 65279 ? s.slice(1) : s, function (fields, number) {
      fields = fields.map(function (f) { return f.trim(); });
      if (!places) {
        var names = fields.map(function (f) { return f.toLowerCase(); });
        var at = function (name) { return names.indexOf(name.toLowerCase()); };
        idAt = at(rules.id); places = rules.values.map(at);
        if (idAt < 0 || places.some(function (p) { return p < 0; })) {
          // Another separator is understood by the server.
          var other = fields.length === 1 && /[;\t|]/.test(fields[0]);
          set("head", other ? "warn" : "bad", other ? "not separated by commas: checked on the server" : "line " + number + " is “" + cut(fields.join(",")) + "”, needs " + asked.head);
          fine = other; places = null; idAt = -2;
          return false;
        }
        // The row numbers that pandas writes are passed over, as on the server.
        var extra = fields.filter(function (name, place) { return place !== idAt && places.indexOf(place) < 0 && !/^(unnamed: ?\d[\w.]*|__index_level_\d+__)?$/i.test(name); });
        if (extra.length) { fine = false; set("head", "bad", "“" + cut(extra[0]) + "” is not expected, needs " + asked.head); }
        else set("head", "ok", cut(fields.join(",")));
        return true;
      }
      if (fields.length === 1 && fields[0] === "") return true;
      n++;
      var id = sameId(fields[idAt] || "");
      if (seen.has(id)) dup = dup || number; else seen.add(id);
      var reason = "", sum = 0, i;
      for (i = 0; i < places.length && !reason; i++) {
        reason = fault(fields[places[i]] === undefined ? "" : fields[places[i]]);
        if (reason) reason = rules.values[i] + " " + reason; else sum += Number(fields[places[i]]);
      }
      if (!reason && sums && Math.abs(sum - 1) > SUM_OFF) reason = "adds up to " + +sum.toFixed(3) + " and not to 1";
      if (reason) { bad++; if (!first) { first = number; why = reason; } }
      return true;
    });
    if (idAt === -1) { set("head", "bad", "the file is empty"); return false; }
    if (!places) return fine;
    if (n === rules.rows) set("rows", "ok", count(n)); else { fine = false; set("rows", "bad", count(n) + ", needs " + count(rules.rows)); }
    // The sample's first ids must be among them, in whatever order.
    var lost = rules.firstIds.filter(function (id) { return !seen.has(sameId(id)); });
    if (lost.length) { fine = false; set("ids", "bad", "“" + cut(lost[0]) + "” of the sample file is not among them"); } else set("ids", "ok", asked.ids);
    if (dup) { fine = false; set("dup", "bad", "line " + count(dup) + " repeats an id"); } else set("dup", "ok", "none");
    if (bad) { fine = false; set("val", "bad", "line " + count(first) + ": " + why + (bad > 1 ? ", and " + count(bad - 1) + " more" : "")); } else set("val", "ok", asked.val);
    return fine;
  }
  // What a file is, by its first bytes: its text, or why only the server can look into it.
  function textOf(file) {
    return file.slice(0, 4).arrayBuffer().then(function (buffer) {
      var b = new Uint8Array(buffer);
      if (b[0] === 80 && b[1] === 75) return { why: "inside a .zip, where this page cannot look" };
      if (b[0] === 80 && b[1] === 65 && b[2] === 82) return { why: "in a Parquet file, which this page cannot read" };
      if (b[0] === 255 && b[1] === 254 || b[0] === 254 && b[1] === 255) return { why: "in UTF-16, which this page does not read" };
      if (b[0] !== 31 || b[1] !== 139) return decoded(file.stream(), file.size);
      if (!window.DecompressionStream) return { why: "packed, and this browser cannot unpack it" };
      return decoded(file.stream().pipeThrough(new DecompressionStream("gzip")), rules.unpacked);
    });
  }
  // The text of a stream of bytes, piece by piece, so that a small file cannot unpack to a huge one.
  function decoded(stream, most) {
    var reader = stream.getReader(), decoder = new TextDecoder("utf-8", { fatal: true }), parts = [], size = 0;
    function next() {
      return reader.read().then(function (piece) {
        if (piece.done) { parts.push(decoder.decode()); return { text: parts.join("") }; }
        size += piece.value.length;
        if (size > most) { reader.cancel(); return { large: true }; }
        try { parts.push(decoder.decode(piece.value, { stream: true })); } catch (e) { reader.cancel(); return { why: "not in UTF-8" }; }
        return next();
      });
    }
    return next();
  }
  // Whether the team has sent these very bytes: then the answer is known.
  function recognise(file, mine) {
    if (!window.crypto || !crypto.subtle || !Object.keys(rules.sent).length) return;
    file.arrayBuffer().then(function (buffer) { return crypto.subtle.digest("SHA-256", buffer); }).then(function (digest) {
      if (mine !== turn) return;
      var hex = Array.prototype.map.call(new Uint8Array(digest), function (b) { return (b < 16 ? "0" : "") + b.toString(16); }).join("");
      var known = rules.sent[hex.slice(0, 16)];
      line("new").hidden = false;
      set("new", known ? "warn" : "ok", known || "");
    }).catch(function () { /* only a hint: the server knows the file again in any case */ });
  }
  function unseen(words) {
    KEYS.forEach(function (key) { if (key !== "size") set(key, "wait", "checked on the server"); });
    set("head", "warn", words + ": Check only reads it on the server");
    ready(true);
  }
  function check(file) {
    var mine = ++turn;
    reset(); told.hidden = true;
    $("[data-file]").hidden = false; drop.hidden = true;
    $("[data-name]").textContent = file.name; $("[data-size]").textContent = bytes(file.size);
    text.textContent = "";
    if (!file.size) { set("size", "bad", "the file is empty"); return; }
    if (file.size > rules.packed) { set("size", "bad", bytes(file.size) + ", over " + bytes(rules.packed) + ": save fewer digits, or compress"); return; }
    set("size", "ok", bytes(file.size));
    recognise(file, mine);
    textOf(file).then(function (found) {
      if (mine !== turn) return;
      if (found.large) { set("size", "bad", "unpacks to more than " + bytes(rules.unpacked) + ": save fewer digits"); ready(true, true); return; }
      if (found.why) { unseen(found.why); return; }
      ready(true, !look(found.text));
    }).catch(function () {
      if (mine === turn) unseen("could not be read here");
    });
  }
  function choose() {
    turn++; input.value = ""; $("[data-file]").hidden = true; drop.hidden = false; bar.hidden = true; text.textContent = "";
    reset(); input.focus();
  }

  // ---- sending ----
  function refuse(words) {
    told.hidden = false; $("p", told).textContent = words;
    bar.hidden = true; clear.disabled = false; ready(true);
    told.scrollIntoView({ block: "nearest" });
  }
  function remaining(body) {
    if (body.left === undefined) return "";
    var all = body.total_left === null ? "" : ", " + count(body.total_left) + " in all";
    return " " + count(body.left) + " of " + count(body.limit) + " submissions left today" + all + ".";
  }
  function answered(xhr) {
    var place = xhr.getResponseHeader("Location"), body = {};
    try { body = JSON.parse(xhr.responseText); } catch (e) { /* a page of a proxy */ }
    if (xhr.status === 201 && place) {
      text.textContent = "Uploaded." + remaining(body) + (body.number ? " Opening the live status." : " Opening the check.");
      location.assign(place); return;
    }
    if (body.sentence) { refuse(body.sentence + " Nothing was stored."); return; }
    if (xhr.status === 413) { refuse("This file is larger than the server takes, " + bytes(rules.packed) + ". Nothing was stored."); return; }
    if (xhr.status === 403) { refuse("The server did not accept this form. Perhaps you have signed out elsewhere: reload this page and send the file again."); return; }
    refuse("The server did not take the file (status " + xhr.status + "). Send it again; the same form never makes two submissions.");
  }
  form.addEventListener("submit", function (ev) {
    if (!input.files.length) return;
    ev.preventDefault();
    var button = ev.submitter || send;
    if (button.disabled) return;
    send.disabled = true; only.disabled = true; clear.disabled = true; told.hidden = true; bar.hidden = false; bar.value = 0; text.textContent = "Uploading";
    var xhr = new XMLHttpRequest();
    xhr.open("POST", button.getAttribute("formaction") || form.action); xhr.setRequestHeader("Accept", "application/json");
    xhr.upload.onprogress = function (e) {
      if (!e.lengthComputable) return;
      var share = Math.floor(100 * e.loaded / e.total); bar.value = share;
      // Read out at the quarters only.
      if (share === 100) text.textContent = "Uploaded, the server is storing it"; else if (share % 25 === 0) text.textContent = "Uploading, " + share + "%";
    };
    xhr.onload = function () { answered(xhr); };
    xhr.onerror = function () { refuse("The connection was lost. Send the file again: if it did arrive, the same form does not make a second submission."); };
    xhr.send(new FormData(form));
  });

  ["dragenter", "dragover"].forEach(function (e) { drop.addEventListener(e, function () { drop.classList.add("over"); }); });
  ["dragleave", "drop"].forEach(function (e) { drop.addEventListener(e, function () { drop.classList.remove("over"); }); });
  input.addEventListener("change", function () { if (input.files[0]) check(input.files[0]); });
  clear.addEventListener("click", choose);
  // After "back" the browser keeps the chosen file and not what was said of it.
  addEventListener("pageshow", function () { if (input.files[0]) check(input.files[0]); });
  $("[data-checks-note]").hidden = false; ready(false);
})();
