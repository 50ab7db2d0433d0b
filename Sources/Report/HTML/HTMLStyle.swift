/// The only style of a page.
enum HTMLStyle {
    static let text = base + rules

    /// Where the columns of charts stand; places are classes, because a policy that forbids strangers' styles forbids attributes too.
    private static let rules = (0...HTMLChart.maxColumns).map { place in
        ".n\(place){--n:\(place)}.a\(place){--a:\(place)}.b\(place){--b:\(place)}\n"
    }.joined()

    private static let base = #"""
        :root{color-scheme:light dark;--bg:#fff;--panel:#f5f6f8;--text:#1c2127;--muted:#545d68;--line:#dde1e6;
        --good:#146c2e;--bad:#b3261e;--open:#7a4f00;--link:#0b57d0;--badbg:#fdeeed;--goodbg:#e9f6ec;--openbg:#fdf4e0;
        --arrow:#3d4a5c;--rail:#dfe4ea;--code:#f5f6f8}
        @media (prefers-color-scheme:dark){:root{--bg:#13161a;--panel:#1b1f25;--text:#e4e7eb;--muted:#a3acb7;--line:#333a43;
        --good:#6fd58a;--bad:#ff9088;--open:#efbe5c;--link:#8ab4f8;--badbg:#35191a;--goodbg:#14291a;--openbg:#2e2410;
        --arrow:#b9c4d3;--rail:#2f3741;--code:#1b1f25}}
        *{box-sizing:border-box}
        html{scroll-padding-top:1rem;-webkit-text-size-adjust:100%}
        body{margin:0 auto;max-width:76rem;padding:2rem 1.5rem 4rem;background:var(--bg);color:var(--text);
        font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
        [hidden]{display:none!important}
        .hidden,.skip:not(:focus),.rows i{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        .skip{position:fixed;top:.5rem;left:.5rem;padding:.5rem 1rem;background:var(--bg);z-index:9}
        a{color:var(--link);text-underline-offset:.15em;text-decoration-thickness:1px}
        :focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
        [tabindex="-1"]:focus{outline:none}
        h1,h2,h3,h4,h5{line-height:1.25;margin:0;text-wrap:balance}
        code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;unicode-bidi:isolate}
        pre{white-space:pre-wrap;margin:0}
        small{font-size:.875rem;color:var(--muted);font-weight:400}
        p{margin:.5rem 0}
        ul{margin:.5rem 0;padding-left:1.25rem}
        .kicker{margin:0 0 .75rem;color:var(--muted);font-size:.875rem}
        .verdict{padding:1.25rem 1.5rem;border-radius:.75rem;border-left:.5rem solid}
        .verdict h1{font-size:2.25rem;letter-spacing:-.01em}
        .verdict h3{font-size:1.375rem}
        .verdict.good{background:var(--goodbg);border-color:var(--good)}.verdict.good :is(h1,h3){color:var(--good)}
        .verdict.bad{background:var(--badbg);border-color:var(--bad)}.verdict.bad :is(h1,h3){color:var(--bad)}
        .verdict.open{background:var(--openbg);border-color:var(--open)}.verdict.open :is(h1,h3){color:var(--open)}
        strong.good{color:var(--good)}strong.bad{color:var(--bad)}strong.open{color:var(--open)}
        .lead{font-size:1.125rem;margin:.35rem 0 0}
        .facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),1fr));gap:0 2rem;margin:1.25rem 0 0}
        .facts div{display:grid;grid-template-columns:8.5rem 1fr;gap:.75rem;padding:.45rem 0;border-bottom:1px solid var(--line)}
        .facts .wide{grid-column:1/-1}
        .facts dt{color:var(--muted)}.facts dd{margin:0;min-width:0}
        nav{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:1.5rem 0 0;padding:.75rem 0;border-bottom:1px solid var(--line)}
        main>section{margin-top:3rem}
        h2{font-size:1.5rem;margin-bottom:1rem}
        .group{font-size:1.125rem;margin:2rem 0 .75rem}
        .count{color:var(--muted);font-weight:400}
        .v{display:inline-block;white-space:nowrap;font-size:.875rem;font-weight:600;padding:.05rem .5rem;border-radius:1rem;
        border:1px solid;color:var(--muted)}
        .v.pass{color:var(--good)}.v.violation,.v.harnessError{color:var(--bad)}
        .v.warning,.v.untested,.v.inconclusive,.v.expected{color:var(--open)}
        .card{margin:0 0 1.5rem;padding:1.25rem 1.5rem;border:1px solid var(--line);border-left:.375rem solid var(--open);
        border-radius:.75rem;background:var(--bg)}
        .card.violation,.card.harnessError{border-left-color:var(--bad)}
        .card:target{box-shadow:0 0 0 3px var(--link)}
        .card>:is(h3,h4,h5){font-size:1.25rem;display:flex;flex-wrap:wrap;gap:.35rem .75rem;align-items:center}
        .card .self{color:inherit;text-decoration:none}.card .self:hover{text-decoration:underline}
        blockquote{margin:.6rem 0;color:var(--muted);max-width:60rem}
        blockquote strong,summary strong{color:var(--text);font-weight:650;letter-spacing:.02em}
        .what{font-size:1.25rem;line-height:1.4;font-weight:600;margin:1rem 0 .75rem;max-width:60rem}
        .pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:.75rem;margin:0 0 .75rem}
        .pair div{padding:.6rem .9rem;border-radius:.5rem;background:var(--goodbg)}
        .pair div+div{background:var(--badbg)}
        .pair dt{font-size:.875rem;font-weight:600;color:var(--good)}.pair div+div dt{color:var(--bad)}
        .pair dd{margin:.1rem 0 0;max-height:14rem;overflow:auto}
        .meta,.remark{font-size:.875rem;color:var(--muted)}
        .again{font-size:.875rem;color:var(--muted);margin-bottom:0}
        .again code,.facts code{color:var(--text)}
        .prose{background:var(--code);padding:.05rem .3rem;border-radius:.25rem}
        .again code{background:var(--code);padding:.2rem .5rem;border-radius:.3rem}
        .said{background:var(--code);padding:.75rem 1rem;border-radius:.5rem;margin-top:.75rem}
        button{font:inherit;font-size:.8125rem;padding:.15rem .65rem;border:1px solid var(--line);border-radius:.4rem;
        background:var(--bg);color:var(--text);cursor:pointer}
        button:hover{border-color:var(--muted)}
        .plain{list-style:none;padding:0}.plain li{padding:.4rem 0;border-bottom:1px solid var(--line)}
        .more,.legend{margin:.75rem 0}
        .more>summary,.legend>summary{cursor:pointer;color:var(--link);font-size:.9375rem;width:fit-content}
        .legend div{max-width:54rem;padding:.25rem 1rem;border-left:3px solid var(--line);margin-top:.5rem}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
        th,td{padding:.5rem .75rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
        thead th{vertical-align:bottom;font-weight:600}
        .matrix td,.matrix thead th+th{text-align:center}
        .matrix td a{display:block;font-weight:600}
        .matrix td.violation,.matrix td.harnessError{background:var(--badbg)}
        .matrix td:is(.untested,.inconclusive,.warning,.expected){background:var(--openbg)}
        .matrix .none{color:var(--muted)}
        .matrix th small{margin-left:.35rem}
        tfoot th,tfoot td{font-weight:600;border-bottom:0}
        .sides th[scope=row]{font-weight:400;min-width:9rem}.sides.clauses th[scope=row]{width:46%;min-width:14rem}
        header .scroll{margin-top:1.25rem}
        .sides .differs{background:color-mix(in srgb,var(--open) 8%,transparent)}
        .sides :is(td,thead th){min-width:9rem}
        .sides tr:target{outline:3px solid var(--link);outline-offset:-3px}
        .filter{display:flex;flex-wrap:wrap;gap:.75rem 1.25rem;align-items:center;padding:.9rem 1.1rem;margin-bottom:1.25rem;
        background:var(--panel);border-radius:.6rem;font-size:.9375rem}
        .filter fieldset{border:0;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.4rem .9rem;min-width:0}
        .filter legend{float:left;margin-right:.75rem;padding:0;color:var(--muted)}
        .filter input[type=search],.filter select{font:inherit;padding:.25rem .5rem;border:1px solid var(--muted);border-radius:.4rem;
        background:var(--bg);color:var(--text);max-width:100%}
        .filter output{color:var(--muted)}
        .area{margin-top:1.75rem}.area>:is(h3,h4){margin-bottom:.4rem;font-size:1.0625rem}.area small{margin-left:.35rem}
        .item:is(details){border-bottom:1px solid var(--line)}
        .item>summary{list-style:none;cursor:pointer;padding:.55rem .25rem;display:grid;gap:.1rem .9rem;align-items:baseline;
        grid-template-columns:8.5rem 6.5rem 1fr}
        .item.scenario>summary{grid-template-columns:8.5rem 1fr auto}
        .item>summary::-webkit-details-marker,.s::-webkit-details-marker{display:none}
        .item>summary:hover{background:var(--panel)}
        .item>summary .v{justify-self:start}
        .item>summary b{font-weight:600}
        .item>div{padding:.25rem .25rem 1.25rem 9.65rem}
        .item.scenario>div{padding-left:.25rem}
        .item:target>summary{box-shadow:inset .25rem 0 var(--link);padding-left:.75rem}
        footer{margin-top:4rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--muted);font-size:.875rem}

        .chart{margin:1rem 0;container-type:inline-size;--tc:5.25rem;font-size:.875rem}
        .heads,.rows,.rows ol{--w:clamp(.9rem,calc((100cqw - var(--tc) - 24rem)/var(--n)),4.5rem)}
        .heads{display:grid;grid-template-columns:var(--tc) repeat(var(--n),var(--w)) 1fr;position:sticky;top:0;z-index:1;
        background:var(--bg);border-bottom:1px solid var(--rail);color:var(--muted);font-size:.8125rem;padding:.25rem 0}
        .heads b{font-weight:400;text-align:right;padding-right:.9rem}
        .heads span{text-align:center;font-weight:600;color:var(--text);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
        .rows,.rows ol{list-style:none;margin:0;padding:0}
        .rows{padding:.25rem 0;background:repeating-linear-gradient(to right,transparent 0 calc(var(--w)/2 - 1px),
        var(--rail) calc(var(--w)/2 - 1px) calc(var(--w)/2 + 1px),transparent calc(var(--w)/2 + 1px) var(--w))
        var(--tc) 0/calc(var(--n)*var(--w)) 100% no-repeat}
        .s{position:relative;display:grid;grid-template-columns:var(--tc) calc(var(--n)*var(--w)) 1fr;min-height:1.65rem;
        align-items:start;list-style:none}
        summary.s{cursor:pointer}
        summary.s:hover{background:color-mix(in srgb,var(--link) 9%,transparent)}
        .s>b{font-weight:400;line-height:1.65rem;text-align:right;padding-right:.9rem;color:var(--muted);font-size:.8125rem;font-variant-numeric:tabular-nums}
        .s>code{grid-column:3;padding:.2rem 0 .15rem .75rem;font-size:.8125rem;line-height:1.3rem}
        summary.s>code::after{content:"›";padding-left:.5rem;color:var(--muted);display:inline-block}
        details[open]>summary.s>code::after{content:"⌄"}
        .s>:is(em,strong){grid-column:3;padding:0 0 .2rem .75rem;font-style:normal;font-size:.8125rem}
        .s>em{color:var(--muted)}.s>strong{color:var(--bad)}.s>strong.soft{color:var(--open)}
        .s::after{content:"";position:absolute;top:calc(.825rem - .3rem);height:.6rem;background:var(--arrow)}
        :is(.r,.l)>*>.s::after,:is(.r,.l)>.s::after{left:calc(var(--tc) + (var(--a) + .5)*var(--w) + 2px);
        width:calc((var(--b) - var(--a))*var(--w) - 4px)}
        .r>*>.s::after,.r>.s::after{clip-path:polygon(0 calc(50% - 1px),calc(100% - .5rem) calc(50% - 1px),calc(100% - .5rem) 0,
        100% 50%,calc(100% - .5rem) 100%,calc(100% - .5rem) calc(50% + 1px),0 calc(50% + 1px))}
        .l>*>.s::after,.l>.s::after{clip-path:polygon(100% calc(50% - 1px),.5rem calc(50% - 1px),.5rem 0,0 50%,.5rem 100%,
        .5rem calc(50% + 1px),100% calc(50% + 1px))}
        .h .s::after{background:repeating-linear-gradient(to right,var(--muted) 0 2px,transparent 2px 6px)}
        .p .s::after{left:calc(var(--tc) + (var(--a) + .5)*var(--w) - .3rem);width:.6rem}
        .p.e .s::after{clip-path:polygon(20% 0,50% 30%,80% 0,100% 20%,70% 50%,100% 80%,80% 100%,50% 70%,20% 100%,0 80%,30% 50%,0 20%)}
        .p.t .s::after{border-radius:50%}
        .z .s::after{left:var(--tc);width:calc(var(--n)*var(--w));height:0;top:.825rem;background:none;border-top:2px dotted var(--muted)}
        .cited{background:color-mix(in srgb,var(--bad) 10%,transparent);box-shadow:inset .25rem 0 var(--bad)}
        .cited .s::after{background:var(--bad)}
        .cited.soft{background:color-mix(in srgb,var(--open) 10%,transparent);box-shadow:inset .25rem 0 var(--open)}
        .cited.soft .s::after{background:var(--open)}
        .near{box-shadow:inset .25rem 0 var(--rail);background:color-mix(in srgb,var(--open) 8%,transparent)}
        .rows details>p,.rows details>pre{margin:0 0 0 calc(var(--tc) + var(--n)*var(--w) + .75rem);background:var(--code);padding:.4rem .75rem 0;border-left:2px solid var(--rail)}
        .rows details>p{color:var(--muted);font-size:.8125rem}
        .rows details>pre{padding-bottom:.5rem;max-height:28rem;overflow:auto;font-size:.8125rem}
        .rows details[open]{padding-bottom:.4rem}
        .gap,.fold>details>summary{color:var(--muted);font-size:.8125rem;padding:.3rem 0 .3rem calc(var(--tc) + var(--n)*var(--w) + .75rem)}
        .fold>details>summary{color:var(--link);cursor:pointer}
        .gap,.fold>details>summary{background:linear-gradient(var(--bg),var(--bg)) calc(var(--tc) - 1px) 50%/calc(var(--n)*var(--w) + 2px) .45rem no-repeat}
        #peek{position:fixed;right:1rem;width:min(30rem,36vw);max-height:70vh;overflow:hidden;padding:.75rem 1rem;border:1px solid var(--line);
        border-radius:.6rem;background:var(--panel);box-shadow:0 .5rem 2rem rgb(0 0 0/.22);white-space:pre-wrap;pointer-events:none;
        font:.8125rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;z-index:5}

        @media (max-width:44rem){
        body{padding:1rem 1rem 3rem}
        .verdict{padding:1rem}.verdict h1{font-size:1.75rem}
        .facts div{grid-template-columns:7rem 1fr}
        .card{padding:1rem}
        .what{font-size:1.125rem}
        .item>summary,.item.scenario>summary{grid-template-columns:auto 1fr}
        .item>summary>:last-child{grid-column:1/-1}
        .item>div{padding-left:.25rem}
        th,td{padding:.4rem .4rem}
        .matrix thead th .v{border:0;padding:0;white-space:normal;font-size:.75rem}
        .matrix th small{display:block;margin:0}
        .filter input[type=search]{width:100%}
        .chart{--tc:3.5rem}
        .heads,.rows,.rows ol{--w:min(4.5rem,calc((100cqw - var(--tc) - .25rem)/var(--n)))}
        .heads{font-size:.6875rem}
        .s{grid-template-columns:var(--tc) 1fr;padding-bottom:.25rem}
        .s>b{padding-right:.5rem;font-size:.75rem}
        .s>code,.s>:is(em,strong){grid-column:1/-1;padding-left:var(--tc);background:linear-gradient(var(--bg),var(--bg)) var(--tc) 0/100% 100% no-repeat}
        .s>code{grid-row:2}
        .cited .s>*,.near .s>*{background:none}
        .rows details>p,.rows details>pre{margin-left:0}
        .gap,.fold>details>summary{padding-left:var(--tc);background:var(--bg)}
        }
        @media (forced-colors:active){.s::after{forced-color-adjust:none}.v{border:1px solid}}
        @media print{
        :root{--bg:#fff;--panel:#fff;--text:#000;--muted:#444;--line:#bbb;--good:#146c2e;--bad:#b3261e;--open:#7a4f00;--link:#000;
        --badbg:#fdeeed;--goodbg:#eef7f0;--openbg:#fdf6e6;--arrow:#333;--rail:#bbb;--code:#f5f5f5}
        *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
        body{max-width:none;padding:0;font-size:10pt}
        nav,.skip,.filter,#peek,button{display:none!important}
        .heads{position:static}
        .card,.item>summary,.s,tr{break-inside:avoid}
        h2,h3,h4{break-after:avoid}
        .rows details>pre{max-height:none}
        .item:not(.scenario)::details-content,.cited>details::details-content,.legend::details-content,.more::details-content{
        content-visibility:visible;display:block;height:auto}
        a{text-decoration:none}
        }

        """#
}
