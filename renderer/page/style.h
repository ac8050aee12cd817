#pragma once

namespace rayscope {

/// Blue and orange, which colour-blind readers tell apart (Okabe and Ito 2008, "Color Universal
/// Design"); on paper as on a light screen.
inline constexpr const char* kPageStyle = R"(
:root{--paper:#fff;--ink:#1b1f24;--dim:#5b6470;--line:#d9dee4;--bar:#7a8694;--good:#0072b2;--bad:#d55e00;--heat:0,114,178}
@media (prefers-color-scheme:dark){@media screen{:root{--paper:#14171b;--ink:#e6e9ec;--dim:#98a2ad;--line:#30363d;
--bar:#8b96a3;--good:#56b4e9;--bad:#e69f00;--heat:86,180,233}}}
*{box-sizing:border-box}
body{background:var(--paper);color:var(--ink);font:15px/1.45 system-ui,"DejaVu Sans",sans-serif;max-width:1000px;
margin:0 auto;padding:24px 20px 60px;overflow-wrap:break-word}
h1{font-size:24px;margin:0 0 4px}h2{font-size:19px;margin:36px 0 8px}h3{font-size:15px;margin:18px 0 4px}
p{margin:6px 0}small,.note,figcaption{color:var(--dim);font-size:12.5px}
.verdict{font-size:21px;font-weight:600;margin:10px 0}
table{border-collapse:collapse;width:100%;margin:8px 0;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:400}thead th{color:var(--dim);font-size:12.5px}
td,th{padding:4px 10px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}
td{text-align:left}td:has(svg){width:34%}td small,.f{white-space:nowrap}td small:has(br),th small{white-space:normal}
svg.row{width:100%;min-width:120px;height:18px;display:block;overflow:visible}
.bar{fill:var(--bar);opacity:.75}.bar.good,.point.good{fill:var(--good)}.bar.bad,.point.bad{fill:var(--bad)}
.point{fill:var(--ink)}.interval{stroke:var(--ink);stroke-width:2;vector-effect:non-scaling-stroke}
.interval.good{stroke:var(--good)}.interval.bad{stroke:var(--bad)}
.reference{stroke:var(--dim);stroke-width:1;stroke-dasharray:3 2;vector-effect:non-scaling-stroke}
.axis{display:flex;justify-content:space-between}
.map td{text-align:right;padding:6px 10px}
.h0{background:rgba(var(--heat),.03)}.h1{background:rgba(var(--heat),.1)}.h2{background:rgba(var(--heat),.17)}
.h3{background:rgba(var(--heat),.24)}.h4{background:rgba(var(--heat),.31)}.h5{background:rgba(var(--heat),.39)}
.h6{background:rgba(var(--heat),.47)}.h7{background:rgba(var(--heat),.56)}
img{max-width:100%;height:auto;display:block;border-radius:4px}
pre,code{font:12.5px/1.4 "DejaVu Sans Mono",ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
pre{background:rgba(128,128,128,.12);padding:8px 10px;border-radius:4px;margin:4px 0}
details{margin:4px 0}summary{color:var(--dim);cursor:pointer}a{color:var(--good)}
@media print{body{max-width:none;padding:0;font-size:11px}section{break-inside:auto}tr,figure{break-inside:avoid}
h2{break-after:avoid}details{display:none}*{print-color-adjust:exact}}
@media (max-width:640px){td,th{padding-right:6px;overflow-wrap:anywhere}td small{white-space:normal}
body{padding:14px 10px;font-size:13px}svg.row{min-width:40px}td:has(svg){width:22%}}
)";

}  // namespace rayscope
