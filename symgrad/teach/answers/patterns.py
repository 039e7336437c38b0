"""The patterns of exercises: for each topic and level, formulas with room for small numbers.

``{a}``, ``{b}``, ``{c}`` stand for different numbers from 2 to 9, ``{m}`` and ``{n}`` for exponents with m > n, and
``[sin|cos]`` for one of several texts. Level 1 takes one rule, level 2 that rule with another, level 3 several rules,
or a result that must be simplified.
"""

from __future__ import annotations

NUMBERS = {
    "polynomials": """
1: {a}*x**{m} [+|-] {b}*x; x**{m} [+|-] {a}*x**{n}; {a}*x**{n} [+|-] {b}; {a} - {b}*x**{m}; x**{n} + x [+|-] {a};
   {a}*x**2 + {b}*x [+|-] {c}; -{a}*x**{n} + {b}; {b}*x - x**{n}; {a}*x**{m} + {b}*x**{n}; {a} - x**{m} - {b}*x;
   {a}*x**{n}/{b}; x**{m}/{a} [+|-] {b}; {a}*x - x**{n} + {b}; x**{m} - x**{n} [+|-] x
2: {a}*x**{m} - {b}*x**{n} [+|-] {c}*x - {n}; x**{m}/{a} + {b}*x**{n} [+|-] x; {a}*x**4 - {b}*x**3 + x**2 - {c};
   x**{m}/{m} - x**{n}/{n} [+|-] {a}; {a}*x**5 [+|-] {b}*x**3 - {c}*x; x**{m}/{a} - {b}*x;
   {a}*x**{m} - x**{n}/{b}; ({a}*x**{m} [+|-] {b}*x**{n})/{c}; {a}*(x**{m} [+|-] {b}*x);
   x**6/{a} - {b}*x**4 + x**2/2; {a}*x*(x**{n} + {b}); x**{n}*(x [+|-] {a}) + {b}; -x**{m} + {a}*x**{n} - {b}*x
3: ({a}*x - {b})*(x**{n} [+|-] {c}); x*(x - {a})*(x + {b}); (x**{n} [+|-] {a})**2; (x - {a})**2*(x + {b});
   ({a}*x [+|-] {b})**3 - x**{n}; (x**2 + {a}*x [+|-] {b})*({c}*x - 1); x**{n}*(x - {a})**2;
   (x**{m} - {a}*x)/x + {b}; (x + {a})*(x - {a})*x**{n}; ({a}*x**2 - {b}*x + 1)**2;
   (x**3 [+|-] {a}*x)*(x**2 [+|-] {b}); x*({a} - x**{n})**2; (x [+|-] {a})*(x**2 - {b}*x + {c})""",
    "roots": """
1: sqrt(x) [+|-] {a}*x; {a}*sqrt(x) [+|-] {b}; x**(1/3) [+|-] {a}; {a}*x**(3/2) [+|-] x; x**(2/3) - {a}*x;
   {a}*x - {b}*sqrt(x); x**2 [+|-] {a}*sqrt(x); sqrt(x)/{a} + {b}*x; {a}*x**(1/4); {a}*x**(4/3) + {b};
   1/sqrt(x) + {a}; {a}*x**{n} - sqrt(x); x**(1/3)/{a} - {b}; {a} - {b}*x**(3/2); {a}*sqrt(x) + {b}*x**(1/3);
   -{a}/sqrt(x)
2: x*sqrt(x) [+|-] {a}*sqrt(x); sqrt({a}*x [+|-] {b}); (x [+|-] {a})/sqrt(x); sqrt(x)*(x [+|-] {a});
   {a}/sqrt(x) - x/{b}; sqrt(x**2 + {a}); (x + {a})**(1/3); ({a}*x + {b})**(3/2); {a}/x**(1/3);
   x**2*sqrt(x) - {a}*x; sqrt({a} - x**2); (sqrt(x) + {a})**2; x**{n}/sqrt(x) + {a}*x; sqrt(x)*({a} - x);
   sqrt(x)*x**{n} - {a}; {b}*sqrt({a}*x); (sqrt(x) - {a})/x
3: x*sqrt({a}*x + {b}); x*sqrt({a} - x**2); sqrt(x**2 [+|-] {a}*x); x**2/sqrt(x + {a}); sqrt((x + {a})/(x + {b}));
   1/sqrt({a}*x**2 + {b}); sqrt({a} + sqrt(x)); (sqrt(x) [+|-] {a})/(sqrt(x) + {b}); x**{n}*sqrt(x**2 + {a});
   sqrt(x + {a}) - sqrt(x - {a}); (x**2 + {a})**(3/2)/x; sqrt(x**{m} + {a})/x; x/sqrt(x**2 [+|-] {a});
   ({a} + x**(1/3))**2; sqrt(x)/(x [+|-] {a}); sqrt(x*(x + {a})); x/(sqrt(x) + {a})""",
    "reciprocals": """
1: {a}/x [+|-] {b}; 1/x**{n} [+|-] x; {a}/x [+|-] {b}*x; x - {a}/x**{n}; -{a}/x**{m}; {a}/x**2 + {b}/x;
   {a}*x**{n} - {b}/x; 1/({a}*x) [+|-] x; x/{a} - {b}/x; x**(-{n}) + {a}*x; {a} - {b}/x**{m}; 1/x - 1/x**{n};
   ({a}*x + {b})/x; {a}/({b}*x**{n}); {a}/x**{m} [+|-] {b}/x; {a}/x + x**{n}
2: 1/(x [+|-] {a}); {a}/(x**2 + {b}); 1/({a}*x [+|-] {b}); 1/(x + {a})**{n}; {a}/(x**{n} [+|-] {b});
   x + {a}/(x - {b}); 1/(x**2 + {a}*x + {b}); {a}/({b} - x); 1/x - 1/(x + {a}); {a}/(x**2 + {b})**2;
   1/(exp(x) + {a}); {a}/(sin(x) + {b}); 1/log(x); {a}/(1 + sqrt(x)); (x**{n} + {a})/x; 1/(x**{n} + x);
   {a}/({b} + exp(x)); {a}/(x - {b})**{n}; 1/({a} - x**{n})
3: 1/(x**2 + {a})**{n}; {a}/(1 + {b}/x); 1/(sqrt(x) [+|-] {a}); 1/(x*(x + {a})); 1/((x + {a})*(x - {b}));
   {a}/sqrt(x**2 + {b}); 1/(1 + exp(-{a}*x)); x/({a} + 1/x); 1/(1/x + 1/{a}); {a}/(cos(x)**2 + {b}); 1/(x*log(x));
   1/(x*exp(x)); {a}/(x**{n}*(x + {b})); 1/(sin(x) + cos(x)); 1/(x + sqrt(x**2 + {a})); 1/(1 + tan(x)**2);
   (1/x + {a})**{n}; 1/(x**{n} + 1/x); {a}/(1 + log(x)**2); 1/(2 + sin({a}*x))""",
    "product": """
1: x**{n}*[sin|cos|exp](x); x**{m}*[cos|exp|log](x); exp(x)*[sin|cos](x); x*[log|tan|sin](x);
   sqrt(x)*[exp|sin](x); sin(x)*cos(x); [sin|cos|exp](x)*log(x); {a}*x*[exp|sin|cos](x); {a}*x**{n}*log(x);
   exp(x)*log(x); {a}*exp(x)*[sin|cos](x)
2: ({a}*x [+|-] {b})*[sin|cos|exp](x); (x**{n} + {a})*[log|sin|exp](x); (x**2 - {a}*x)*[sin|cos](x);
   x**{n}*exp(-{a}*x); sin({a}*x)*cos({b}*x); x*[sin|cos|exp]({a}*x); (x + {a})*(x**{n} - {b});
   (sqrt(x) + {a})*exp(x); x**{n}*log({a}*x); exp({a}*x)*[sin|cos](x); (exp(x) + {a})*[sin|cos](x);
   (sin(x) + {a})*(cos(x) - {b})
3: x**{n}*exp(x)*[sin|cos](x); x*log(x)*[sin|cos](x); exp(-{a}*x)*[sin|cos]({b}*x); (x**2 + {a})*exp(x)*log(x);
   x**{n}*(x + {a})**{m}; x*(x + {a})*[exp|log](x); (x**{n} + {a})*(x**{m} + {b})*x; x*sin(x)*cos(x);
   x**{n}*exp(-x**2); sqrt(x)*(x + {a})*exp(x); (x - {a})**{n}*[exp|sin](x); exp(x)*sin(x)*cos(x);
   x*exp(x)*log(x); x**{n}*exp({a}*x)*[sin|cos](x); (sin(x) + {a})*x*exp(x)""",
    "quotient": """
1: ({a}*x [+|-] {b})/(x [+|-] {c}); x/(x**2 [+|-] {a}); x**{n}/(x [+|-] {a}); x/({a} - x); {a}*x/(x + {b});
   (x [+|-] {a})/(x - {b}); (x**2 + {a})/x; {a}*x**{n}/(x + {b}); ({a} - x)/({b} + x); x/({a}*x + {b});
   (x - {a})/x**{n}; {a}/(x + {b}) + x; ({a}*x - {b})/x**{n}; x**2/({a} - {b}*x); ({a} + x**{n})/(x + {b})
2: (x**2 [+|-] {a})/(x**2 + {b}); [sin|cos](x)/x; exp(x)/(x [+|-] {a}); log(x)/x**{n}; x/exp(x); x/log(x);
   x**{n}/[exp|sin|cos](x); (x + {a})/(x**2 + {b}*x); (exp(x) + {a})/x; sqrt(x)/(x + {a}); x**{n}/(x**{m} + {a});
   [sin|cos](x)/(x + {a}); (log(x) + {a})/x; (x**2 + {a}*x)/(x - {b}); exp(x)/x**{n}; tan(x)/x; log(x)/(x + {a})
3: sin(x)/({a} + cos(x)); exp(x)/({a} + exp(x)); (x**2 + {a}*x)/(exp(x) + {b}); x*[sin|cos](x)/(x**2 + {a});
   (exp(x) - exp(-x))/(exp(x) + exp(-x)); x*exp(x)/(x + {a}); (sin(x) + cos(x))/(sin(x) - cos(x));
   (1 - log(x))/(1 + log(x)); x*log(x)/(x + {a}); (x**2 + {a})**2/(x + {b}); (x + {a})/(x**2 + {b})**2;
   exp({a}*x)/(x**2 + {b}); x**{n}*exp(x)/(x + {a}); [sin|cos]({a}*x)/(x + {b}); log(x**2 + {a})/x;
   x/sqrt(x**2 + {a}); (sqrt(x) - {a})/(sqrt(x) + {a}); (1 + sin(x))/(1 - sin(x));
   (x**2 - {a})/((x + {b})*(x - {c}))""",
    "chain": """
1: ({a}*x [+|-] {b})**{m}; [sin|cos|exp|tan]({a}*x); [sin|cos|exp]({a}*x [+|-] {b}); log({a}*x + {b});
   exp(-{a}*x); ({a} - x)**{m}; [sin|cos](x/{a}); sqrt({a}*x + {b}); (x + {a})**{m}; [sin|cos]({a} - x);
   {b}*[sin|exp]({a}*x); log({a} - x); ({a} - {b}*x)**{m}
2: (x**2 [+|-] {a})**{m}; [sin|cos|exp](x**{n}); log(x**2 + {a}); sqrt(x**2 + {a}); exp(-x**2/{a});
   [sin|cos](sqrt(x)); [sin|cos](exp(x)); exp([sin|cos](x)); [sin|cos](x)**{m}; log(x)**{m}; ({a} + exp(x))**{m};
   [sin|cos|exp](1/x); [sin|cos](x**2 [+|-] {a}*x); exp(sqrt(x)); log([sin|cos](x)); (x**3 - {a}*x)**{m};
   [sin|exp](log(x)*{a}); log(log(x)); tan(x**{n}); (sqrt(x) + {a})**{m}
3: exp([sin|cos](x**2)); log(cos({a}*x)**2 + {b}); [sin|cos](exp({a}*x)); sqrt({a} + sin(x)**{n});
   cos(log(x**2 + {a})); [sin|cos]({a}*x)**{m}; exp(-(x - {a})**2/{b}); log(x + sqrt(x**2 + {a}));
   ({a} + exp(-{b}*x))**{m}; sin(cos({a}*x)); sqrt(log(x**2 + {a})); (x**2 + exp({a}*x))**{n};
   exp(sqrt(x**2 + {a})); log(exp({a}*x) + {b}); [sin|cos](sqrt(x**2 + {a})); tan({a}*x)**{n}; sin(x**2)**{n};
   log(sin({a}*x) + {b}); exp(exp(-{a}*x)); sqrt(1 + sqrt({a}*x)); (1 + log({a}*x))**{m}""",
    "nested-chain": """
1: [sin|cos](x**{n} + {a}); exp(x**{n} [+|-] {a}); ({a}*x**2 [+|-] {b}*x)**{m}; log(x**{n} + {a});
   sqrt({a} + [exp|sin](x)); (log(x) + {a})**{n}; [sin|cos](log(x)); exp({a}*x**2); log({a} + exp(x));
   log({a} + sin(x)); (exp(x) - {a})**{n}; [sin|cos]({a}*x**{n}); sqrt(log(x) + {a}); exp([sin|cos](x) + {a});
   [sin|cos](sqrt(x) + {a}); (sin(x) + {a})**{n}
2: [sin|cos]([sin|cos]({a}*x)); exp([sin|cos]({a}*x)); log({a} + [sin|cos]({b}*x)); sqrt({a} + exp({b}*x));
   sin(x**{n})**2; cos(sqrt(x**2 + {a})); (sin({a}*x) + {b})**{n}; log(log({a}*x)); exp((x + {a})**2);
   exp(-1/x**{n}); tan(exp({a}*x)); (1 + sqrt(x**2 + {a}))**{n}; log(x**2 + {a})**{n}; ((x**2 + {a})**2 + {b})**2;
   sin(exp(x**{n}))
3: exp([sin|cos](log(x**2 + {a}))); [sin|cos](exp(-x**{n}))**2; sqrt({a} + sqrt({b} + x**2));
   log({a} + [sin|cos]({b}*x)**2); [sin|cos]([sin|cos]([sin|cos](x))); exp(exp(exp(x))/{a});
   (sin(x**2 + {a}) + {b})**{m}; log(log(log(x))); sqrt(log({a} + exp(x**2))); tan(sqrt({a} + cos(x)));
   (({a}*x + 1)**2 + sin({b}*x))**{n}; exp(-[sin|cos]({a}*x)**{n}); sin((x**2 + {a})**{n})**2;
   cos(log({a} + exp({b}*x)))""",
    "product-and-chain": """
1: x*[sin|cos|exp]({a}*x); x*({a}*x + {b})**{n}; x**{n}*exp({a}*x); x*log({a}*x + {b}); {a}*x*exp(-x);
   x**{n}*[sin|cos]({a}*x); exp({a}*x)*[sin|cos](x); x*sqrt(x + {a}); [sin|cos]({a}*x)*exp(x); (x + {a})**{m}*x;
   x**{n}*sqrt({a}*x + 1); exp(-x)*(x [+|-] {a}); x**{n}*log({a}*x); x*cos(x + {a}); exp(-{a}*x)*x
2: x**{n}*exp(-x**2/{a}); x*log(x**2 + {a}); x*[sin|cos](x**2); (x + {a})**{n}*exp(-x);
   exp(-{a}*x)*[sin|cos]({b}*x); x**{n}*(x**2 + {a})**{m}; x*sqrt(x**2 + {a}); x*[sin|cos](x)**{n};
   (x**2 + {a})*exp({b}*x); (x + {a})**{m}*(x - {b})**{n}; log(x)*[sin|cos]({a}*x); x**{n}*log(x)**2;
   sqrt(x)*exp(-{a}*x); sin(x)**{n}*cos(x); x*exp([sin|cos](x)); x*exp(sqrt(x))
3: x*exp(-x**2)*[sin|cos]({a}*x); x**{n}*sqrt(x**2 + {a})*exp(x); (x + {a})**{m}*exp(-x**{n});
   [sin|cos]({a}*x)**2*exp({b}*x); x*[sin|cos](log(x)); x**{n}*log(x**2 + {a})**2; exp(-x)*log({a} + x**2);
   (x**2 + {a})**{m}*(x**3 - {b})**{n}; x*exp(x)*[sin|cos]({a}*x); sin({a}*x)**{n}*cos({b}*x)**2;
   x*log(x)*exp(-{a}*x); x*sqrt({a} - x)*(x + {b}); x**2*sin(1/x); exp({a}*x)*sqrt(x + {b}); x*log({a} + exp(x));
   (x - {a})*exp(-(x - {a})**2); x*tan({a}*x**2)""",
    "quotient-and-chain": """
1: [sin|cos|exp]({a}*x)/x; x/({a}*x + {b})**2; exp({a}*x)/(x [+|-] {b}); log({a}*x)/x; x/exp({a}*x);
   x/sqrt(x + {a}); ({a}*x + {b})**{n}/x; sqrt({a}*x + {b})/x; x**{n}/exp({a}*x); x/[sin|cos]({a}*x);
   (x [+|-] {a})/exp({b}*x); [sin|cos]({a}*x)/exp(x); ({a}*x + {b})**{n}/x**2; log({a}*x)/x**{n};
   ({a} - exp(-x))/x
2: x/(x**2 + {a})**{n}; exp({a}*x)/(x**2 + {b}); [sin|cos](x**2)/x; log(x**2 + {a})/x; x/sqrt({a} - x**2);
   sqrt(x**2 + {a})/x; exp(-x**2)/(x + {a}); (x + {a})**{m}/(x - {b})**{n}; [sin|cos]({a}*x)/(x**2 + {b});
   (exp({a}*x) - 1)/(exp({a}*x) + 1); x**{n}/(exp(x) - {a})**2; log(x)**2/x; [sin|cos](x)**2/x;
   ((x + {a})/(x - {b}))**{n}; x/log({a}*x + {b}); x/exp(x**2); exp([sin|cos](x))/x
3: [sin|cos]({a}*x)/({b} + cos({a}*x)); sqrt((x + {a})/(x**2 + {b})); log((x + {a})/(x + {b}));
   (x/(x + {a}))**{m}; exp(-x)/({a} + exp(-x))**2; x*exp({a}*x)/(x + {b}); log(x**2 + {a})/sqrt(x);
   (exp({a}*x) - exp(-{a}*x))/x; [sin|cos](x/(x + {a})); exp(x/(x**2 + {a})); atan(x/(x + {a}));
   x/(x + sqrt(x**2 + {a})); log(x)/(x**2 + {a})**2; sin(x)**2/(1 + cos(x)**2); (x**2 + {a})**{n}/(x**3 - {b});
   sqrt(exp({a}*x) + {b})/x; x**2/sqrt({a}*x + {b}); [sin|cos](exp(x))/exp(x); ({a} + sqrt(x))**{n}/x""",
    "trig": """
1: {a}*sin(x) [+|-] {b}*cos(x); tan(x) [+|-] {a}*x; x [+|-] {a}*[sin|cos](x); {a}*[sin|cos](x) + {b};
   {a}*tan(x) - x**{n}; [sin|cos](x) - {a}*x**{n}; x**{n} + {a}*[sin|cos|tan](x); {a}*x - tan(x);
   cos(x)/{a} + sin(x); sin(x) + cos(x) [+|-] {a}*x
2: sin({a}*x)*cos({b}*x); [sin|cos](x)**{m}; [sin|cos]({a}*x)**2; tan({a}*x [+|-] {b}); x*[tan|sin|cos](x);
   [sin|cos](x)/x; sin({a}*x) [+|-] cos({b}*x); [sin|cos](x**{n}); tan(x)**2; 1/[sin|cos](x); sin(x) - x*cos(x);
   x**{n}*cos(x); {a}*[sin|cos](pi*x); tan(x)/{a} - x/{a}; sin(x)*tan(x); x/tan(x); cos(x)**2 - sin(x)**2
3: tan(x**2 + {a}); cos(x)/({a} + sin(x)); [sin|cos]({a}*x)**{m}*cos(x); x**2*tan(x); tan(x)/(1 + tan(x));
   sin(x)**3/3 - sin(x); [sin|cos]({a}*x)*exp(-x); log([sin|cos](x)); sqrt({a} + sin({b}*x)); sin(x)**2*cos(x)**2;
   log(tan(x)); tan(x)**3/3 + tan(x); x*sin(x) + cos(x); sin(sin({a}*x)); [sin|cos](x)**2/x; (1 - cos({a}*x))/x;
   x/2 - sin(2*x)/4; tan(sqrt(x)); sin(x)/(sin(x) + cos(x)); x**2*sin({a}*x) + {b}*x*cos({a}*x)""",
    "exp-log": """
1: exp({a}*x) [+|-] {b}*log(x); {a}*exp(x) [+|-] log(x); log({a}*x) [+|-] x; {a}*exp(x) - x**{n};
   {a}*log(x) [+|-] {b}*x; exp(x) [+|-] {a}*x; log(x) + x**{n}; exp(x)/{a} - x; {a} - exp(-x); exp(-{a}*x) + x;
   log(x)/{a} + {b}; {a}*x - log(x); {a}*log(x) [+|-] {b}*exp(x); {a}*exp(x) + {b}; x**{n} - {a}*exp(-x);
   log(x) - {a}*sqrt(x)
2: x*log(x) [+|-] x; log(x**2 [+|-] {a}); x*exp(-{a}*x); log(x)**{n}; exp(x**{n}); exp({a}*x)/x; log(x)*exp(x);
   log(x)/x**{n}; x**{n}*log(x); exp(x) - exp(-x); log({a} + exp(x)); exp(-x**2); (exp(x) + {a})**{n};
   log(sqrt(x)); exp(x + {a}*log(x)); log({a}*x**{n}); x/exp(x); (x - {a})*exp(x); log(exp(x) - {a});
   {a}*exp(-x/{b}) - x
3: log(x)/(x [+|-] {a}); exp(-x**2/2)*x; log((1 + x)/(1 - x)); log(1 + exp({a}*x)); exp(x)*log(x**2 + {a});
   x**{n}*exp(-{a}*x); log(x + sqrt(x**2 + {a})); log(log({a}*x)); exp(x)/({a} + exp(x));
   x*log(x**2 + {a}) - {b}*x; exp(-1/x); exp(sqrt(x))*sqrt(x); log(x)**2*x - {a}*x; (x**2 - {a}*x + {b})*exp(x);
   log((x**2 + {a})/(x + {b})); exp({a}*x)*log(x); x*exp(-x**2/{a}); sqrt(log(x)) + {a}; log(x*exp({a}*x));
   (1 + log(x))/x; exp(x)*(x**2 [+|-] {a})""",
    "powers": """
1: {a}**x; {a}**x [+|-] x**{a}; x**{m}*{a}**x; {a}**x + {b}**x; {a}*{b}**x; {a}**x - {b}*x; x*{a}**x; {a}**x/{b};
   {a}**(-x); {a}**({b}*x); {a}**x + exp(x); {a}**x*exp(x); {a}**x/x; ({a}/{b})**x; {a}**x - log(x); {b} - {a}**x;
   {a}**x*[sin|cos](x); x**{n} - {a}**x; {a}**(x [+|-] {b}); {a}**x + sqrt(x)
2: x**x; x**({a}*x); {a}**(x**2); {a}**[sin|cos](x); {a}**sqrt(x); x**(x + {a}); {a}**(x**2 [+|-] x);
   x**{n}*{a}**(-x); {a}**(1/x); x*{a}**(x**2); log({a}**x + {b}); ({a}**x + {b})**{n}; ({a}**x - 1)/({a}**x + 1);
   {a}**(-x**2); {a}**log(x); x**x + {a}*x; {a}**({b}*x)*x; sqrt({a}**x + {b}); [sin|cos]({a}**x); {a}**x*log(x);
   x**(-x); x**x/{a}
3: x**[sin|cos](x); (x**2 + {a})**x; x**(1/x); ({a} + exp(x))**x; x**sqrt(x); x**(x**2); x**log(x); (1 + 1/x)**x;
   (log(x))**x; x**x*exp(-x); x**x*log(x); ({a} + sin(x))**x; x**({a}*x)*{b}**x; ({a} + x**2)**(x + {b}); x**exp(x);
   {a}**(x**x); x*x**x; ({a}*x)**(x/{b}); (2 + sin(x))**cos(x); x**(x**{n}); (x/(x + {a}))**x; sqrt(x)**x""",
    "logarithmic": """
1: x*(x + {a})*(x + {b}); (x + {a})**{m}*(x + {b})**{n}; x**{m}*exp({a}*x)/{b}; (x + {a})/(x + {b});
   x**{n}*(x + {a})**{m}; x**{m}*exp(x)*{a}; sqrt(x)*(x + {a}); log(x**{n}*(x + {a})); log((x + {a})*(x + {b}));
   log(x/(x + {a})); log(x**{m}/{a}); log(sqrt(x + {a})); log(exp(x)*x**{n}); log((x + {a})**{m});
   log({a}*x**{n}); log(x*sqrt(x)); log(x)*{a} + log(x + {b}); log(x + {a}) - log(x + {b}); x**{n}/(x + {a});
   exp(x)*(x + {a})**{n}
2: (x + {a})**{m}*exp(-x)*x; x**{n}*sqrt(x + {a})/(x + {b}); log(x*sqrt(x**2 + {a})); log((x**2 + {a})**{n}/x);
   log(sqrt((x + {a})/(x + {b}))); (x + {a})**{m}/(x + {b})**{n}; x**{m}*(x**2 + {a})**{n};
   log(x**{n}*exp(-x)/(x + {a})); x*(x + {a})*(x + {b})*(x + {c}); sqrt(x*(x + {a})); log(exp(x)/(1 + exp(x)));
   log([sin|cos](x)*x); (x**2 + {a})**{n}*exp({b}*x); x**{n}*exp(x)/(x + {a}); log((1 + sin(x))/(1 - sin(x)));
   log(x**x); sqrt(x)*exp(x)*(x + {a}); log(x**{n})*x; x**{m}*{a}**x*exp(x); (x*(x + {a}))**{n}
3: x**x*(x + {a}); (x + {a})**x*exp(x); sqrt(x*(x + {a})/(x + {b})); (x + {a})**{m}*(x + {b})**{n}/exp({c}*x);
   x**{n}*sqrt(x**2 + {a})*exp(-x)/(x + {b}); x**(x + {a})*exp(-x); (x**2 + {a})**(x/{b}); (1 + x)**(1/x);
   x**[sin|cos](x)*exp(x); (x*(x + {a})*(x + {b}))**(1/3); log(x)**{n}*x**{m}*exp(x);
   (x + {a})**(1/{b})*(x + {c})**{n}; ({a}*x + 1)**x/x; (x**{n}*exp(x))**x;
   x*(x + {a})**{n}*(x + {b})**{m}*exp(x); x**log(x)*{a}; sqrt(x**2 + {a})*(x + {b})**{m}/x;
   (x + {a})**{n}*exp(-x**2)*sqrt(x); x**(2*x)*(x + {a})**2; ((x + {a})/(x + {b}))**x""",
    "inverse": """
1: {a}*[atan|asin|acos](x); [asin|acos|atan](x) [+|-] {a}*x; {a}*x**{n} + [atan|asin](x);
   {a} - [atan|asin|acos](x); asin(x) + acos(x) + x**{n}; atan(x)/{a} - x; atan(x) + {a}*log(x);
   [asin|acos](x)/{a}; atan(x) - {a}*x**{n}
2: [atan|asin|acos]({a}*x); [asin|acos|atan](x/{a}); [atan|asin](x**2); x*[asin|acos|atan](x); atan(x)**{n};
   atan(x)/x; atan(sqrt(x)); atan(exp(x)); exp(atan(x)); atan(x [+|-] {a}); (x**2 + 1)*atan(x); [asin|acos](x)**2;
   log(atan(x)); sin({a}*asin(x))
3: x*atan(x) - log(x**2 + 1)/2; asin(sqrt(x)); atan(1/x); [asin|acos](x)/sqrt(1 - x**2);
   x*asin(x) + sqrt(1 - x**2); atan(x/sqrt({a} - x**2)); atan((x + {a})/(1 - {a}*x)); x**{n}*atan({a}*x);
   atan(x) + atan(1/x) + {a}*x; log(1 + atan(x)**2); atan({a}*sin(x)); asin(x/(x + {a})); sqrt({a} + atan(x));
   x*acos(x) - sqrt(1 - x**2); [acos|asin]({a}*x**2); atan(sinh(x)); atan(log(x)); exp(x)*atan({a}*x);
   atan(sqrt(x**2 + {a})); asin(cos(x)/{a}); 1/atan({a}*x); asin(exp(-{a}*x))""",
    "hyperbolic": """
1: {a}*[sinh|cosh|tanh](x); [sinh|cosh](x) [+|-] {a}*x; {a}*sinh(x) [+|-] {b}*cosh(x);
   x**{n} + [sinh|cosh|tanh](x); {a} - [cosh|tanh](x); x - {a}*tanh(x); sinh(x)/{a} + {b}; cosh(x) - {a}*exp(x);
   tanh(x) + {a}*x**{n}; {a}*x - sinh(x); tanh(x)/{a} - x
2: [sinh|cosh|tanh]({a}*x); x*[sinh|cosh|tanh](x); [sinh|cosh|tanh](x)**2; [sinh|cosh](x**{n});
   exp(x)*[sinh|cosh](x); [sinh|cosh](x)/x; tanh(x/{a}); sinh(x)*cosh(x); log(cosh(x)); 1/cosh(x);
   [sinh|cosh]({a}*x + {b}); sqrt(cosh(x)); x**{n}*cosh(x)
3: log(cosh({a}*x)); x - tanh({a}*x)/{a}; {a}*cosh(x/{a}); cosh(x)**2 - sinh(x)**2 + {a}*x;
   x*tanh(x) - log(cosh(x)); [sinh|cosh](x)/(1 + cosh(x)); exp(-x)*sinh({a}*x); tanh(x**2);
   sqrt(1 + sinh(x)**2)/x; [sinh|cosh](log(x)); asinh({a}*x); x*asinh(x) - sqrt(x**2 + 1); atanh(x/{a});
   acosh({a}*x); tanh(x)**3/3 - tanh(x); sin(x)*sinh(x); cos(x)*cosh({a}*x); log(tanh(x)); x**{n}*tanh({a}*x);
   (sinh(x) + {a})**{n}; tanh(sqrt(x)); sinh(x)**2*cosh(x); log(sinh({a}*x) + {b})""",
    "absolute-value": """
1: abs(x [+|-] {a}); {a}*abs(x) [+|-] x; x + abs(x); abs({a}*x [+|-] {b}); abs(x) - x**{n}; x*abs(x);
   abs(x)/{a} + {b}*x; {a} - abs(x); abs(x - {a}) + x**{n}; abs({a} - x) - x; {a}*abs(x [+|-] {b});
   x**{n} - {a}*abs(x); abs(x)*{a} - {b}; abs(x) + exp(x); abs(x) + {a}*sin(x); abs(x - {a})/{b}
2: abs(x**2 - {a}); abs(x - {a}) [+|-] abs(x + {b}); x*abs(x [+|-] {a}); abs(x)**3; abs([sin|cos](x));
   log(abs(x) + {a}); exp(-abs(x)); exp(-{a}*abs(x)); x**{n}*abs(x); abs(x)*[sin|cos](x); sqrt(abs(x) + {a});
   abs(x**3 - {a}); [sin|cos](abs(x)); abs(x)/(x + {a}); 1/(abs(x) + {a}); abs({a}*x - x**2); x + maximum(x, {a});
   {a}*x - minimum(x, {b})
3: abs(x**2 - {a}*x); x*exp(-abs(x)); abs(x)/(1 + abs(x)); abs(sin({a}*x)); x/({a} + abs(x));
   abs(x - {a})*(x + {b}); abs(x**2 - {a})/x; log(abs(x**2 - {a})); abs(log(x) - 1); sqrt(abs(x - {a}) + {b});
   abs((x - {a})*(x + {b})); abs(x**{n} - {a})*x; where(x < {a}, x**2, {a}*x); where(x < 0, x**2, {a}*x);
   where(x > {a}, (x - {a})**2, 0); maximum(x**2, {a}*x); exp(-abs(x - {a})/{b}); abs(exp(x) - {a});
   abs(x)**(3/2); minimum(x**2, {a}); abs({a} - abs(x)); log({a} + abs(x - {b}))""",
    "parameters": """
1: k*x**{n} [+|-] {a}*x; k*x + b; {a}*k*x**{m}; k*[sin|cos|exp](x); x**{n} + k; k*x**2 + b*x + c; [sin|cos](x)/k;
   k - x**{n}; x/k + {a}; {a}*k*x - b*x**{n}; k*b*x**{n}; (k + b)*x**{m}; k**2*x; k*log(x) + b; k*sqrt(x) - b;
   k*x**{n} - b*x + c; k/x; b + k*exp(x); k*x**{m} + b*sin(x); x**{n}/k - b
2: [sin|cos|exp](k*x); (k*x + b)**{n}; log(k*x + b); k*exp(-b*x); x/(x + k); (x - k)**{m}; x**{n}*exp(-k*x);
   k/(x**2 + b); sqrt(x**2 + k**2); k*[sin|cos](b*x + c); (x + k)/(x + b); exp(-x**2/k); x*log(k*x);
   (k**2 - x**2)/x; k*x/(b + x); x*[sin|cos](k*x); exp(k*x) + b*x**2; k*(1 - exp(-b*x)); 1/(k*x + b);
   k*x*(1 - x/b)
3: k/(1 + b*exp(-c*x)); exp(-(x - k)**2/(2*b**2)); k*exp(-b*x)*cos(c*x); x/sqrt(x**2 + k**2);
   log((x + k)/(x - k)); atan(x/k)/k; k*x**2/(b**2 + x**2); x**k*exp(-b*x); exp(k*x)*(sin(b*x) - cos(b*x));
   (x**2 + k)**b; k*(x**(-12) - b*x**(-6)); sqrt(k**2 - x**2)/x; x*exp(-x/k)/k**2; k**x*b; sin(k*x)**2*cos(b*x);
   (k - b)*x/(k*x + b); k*log(1 + exp(x/k)); x**2/(x**2 + k*x + b); 1 - exp(-(x/k)**b); k*sin(sqrt(b)*x)/sqrt(b)""",
    "second-derivative": """
1: x**{m} [+|-] {a}*x**2 + {b}*x; {a}*[sin|cos](x) [+|-] {b}*x**3; [exp|sin|cos]({a}*x); x**{m} - {a}*x;
   {a}*x**4 [+|-] {b}*x**2; {a}*log(x) + x**{n}; {a}*exp(x) - x**{m}; {a}/x + {b}*x; {a}*sqrt(x);
   x**3 [+|-] {a}*x**2 - {b}; x**{m}/{a}; log({a}*x)
2: x*[exp|sin|cos](x); x**{n}*log(x); [sin|cos]({a}*x)*x; log(x**2 + {a}); exp(x**2); ({a}*x + {b})**{m};
   x*exp(-x); tan(x); 1/(x + {a}); sqrt(x**2 + {a}); [sin|cos](x)**2; exp(-{a}*x)*x; x**{n}*exp(x); log(x)**2;
   x/(x + {a}); x**2*[sin|cos](x); [sin|cos](x**2); (x**2 + {a})**{n}; x*log(x)
3: exp(-x**2/2); x/(x**2 + {a}); exp(-x)*[sin|cos]({a}*x); atan({a}*x); x**2*exp(-{a}*x); 1/(x**2 + {a});
   log(x)/x; x*sqrt(x + {a}); exp([sin|cos](x)); log(cos(x)); 1/(1 + exp(-x)); x**3*exp(-x); x**x;
   sqrt({a} - x**2); tan({a}*x); x*atan(x); log(x + sqrt(x**2 + {a})); sin(x)/x; x**2*log(x)**2;
   (x**2 - {a})/(x**2 + {a}); exp(x)/x""",
    "third-derivative": """
1: x**{m} [+|-] {a}*x**3; {a}*x**4 [+|-] {b}*x; [sin|cos|exp](x)*{a}; x**5 [+|-] {a}*x**{n}; {a}*x**6/{b};
   x**{m} [+|-] [sin|cos](x); log(x) + {a}*x**2; {a}/x; exp(x) [+|-] {a}*x**4; {a}*x**3 - {b}*x**2 + x;
   {a}*log(x); {a}*x**5 - {b}*x**3; {a}*x**5 + exp(x)
2: [sin|cos|exp]({a}*x); ({a}*x + {b})**5; sqrt(x)*{a}; x**{n}/{a} + 1/x**2; exp(-{a}*x); log({a}*x + {b});
   x**(5/2); 1/(x + {a}); {a}*sin({b}*x) - cos(x); x**2*(x + {a})**2; exp({a}*x) - exp(-{a}*x); x**4*({a} - x);
   (x [+|-] {a})**6; {a}**x; x*(x**4 - {a}); [sin|cos](x/{a}); sqrt(x + {a}); {a}*exp(x/{b}); (x**2 + {a})**2;
   [sin|cos]({a}*x + {b})
3: x*[exp|sin|cos](x); x**2*exp(x); x**2*log(x); exp(x)*[sin|cos](x); x*exp(-{a}*x); exp(-x**2/2);
   log(x**2 + {a}); x*log(x); x**3*exp(x); [sin|cos](x)**2; x**2*[sin|cos]({a}*x); 1/(x**2 + {a}); log(cos(x));
   exp(-x)*cos({a}*x); atan(x); x/(x + {a}); tan(x); x*sqrt(x + {a}); [sin|cos](x**2); exp(x**2)""",
}
PLANE = {
    "partial": """
1: x**{m}*y**{n} [+|-] {a}*x; {a}*x**2 [+|-] {b}*x*y - y**2; y: x*y**{n} [+|-] {a}*y; y: x**{n}*y [+|-] y**{m};
   x*y [+|-] {a}*x**{n}; y: {a}*x*y**2 - x**{n}; x**{n} + y**{m}; x*[sin|cos|exp](y); y: [sin|cos](x)*y**{n};
   y: {a}*x**{n}*y; x**2*y + x*y**2; y: x*exp(y) + {a}; {a}*x/y; y: y*log(x) - {a}*x
2: [exp|sin|cos](x*y) + {a}*x; sin(x*y**2); x/(x + y); y: x*log(y) + y**{n}; y: x/y; exp({a}*x + {b}*y);
   y: exp(x**2*y); x*exp(-y*x); y: log({a}*x + y); sqrt(x**2 + y**2); y: (x + {a}*y)**{m}; y: x*[sin|cos](x*y);
   (x*y + {a})**{n}; y: y/(x + y); x**y; y: x**y; log(x**2 + y**2); y: [sin|cos](x**2 + y**2); [sin|cos](x/y);
   y: x*sqrt(y + {a})
3: x**{m}*exp({a}*x*y); y: x*y/(x**2 + y**2); [sin|cos](x*y)*exp(-x); log(x**2 + {a}*y**2)/y; y: atan(y/x);
   x*exp(-x**2 - y**2); y: sqrt(x**2 + y**2)/y; (x - y)/(x + y); y: (x*y - {a})**{n}*exp(y); x**2*y*exp(x/y);
   y: y*log(x**2 + y**2); x*sin(x*y)/(y + {a}); y: exp(x*y)*[sin|cos]({a}*y); x*y*exp(-x*y); y: y**x*x;
   x*sqrt(x**2 + {a}*y**2); y: tan(x*y)/y; (x**2 - y**2)/(x**2 + y**2); log((x + y)/(x + {a})); y: y*exp(-x/y)""",
}
MIXED = {
    "mixed-partial": """
1: x**{m}*y**{n}; {a}*x**2*y**3 - x*y; x*y**{n} [+|-] x**{m}; x*[exp|sin|cos](y); [exp|sin|cos](x)*y**{n};
   {a}*x*y - x**2 + y**2; x**{n}*y [+|-] {a}*y; x**2*log(y); x**{n}/y; [sin|exp](x)*cos(y); x*y*(x + y);
   sqrt(x)*y**{n}; (x + {a})*(y - {b}); log(x)*y**{m}; x**{m}*exp(y)
2: [exp|sin|cos](x*y); x*y**2*exp(y); log({a}*x + y); (x + {a}*y)**{m}; x/(y + {a}); [exp|sin|cos]({a}*x + {b}*y);
   x*[sin|cos](x*y); exp(x**2*y); y*log(x*y); x**2*sin({a}*y); sqrt(x + y); x*exp(x + y); [sin|cos](x)*exp({a}*y);
   (x*y + {a})**{n}; 1/(x + y); x*y/(y + {a}); x**{n}*y*exp(-y); (x**2 + y)**{n}
3: x**{m}*exp({a}*x*y); x/(x + y); log(x**2 + {a}*y**2); sqrt(x**2 + y**2); x*[sin|cos](x*y**2); atan(y/x);
   exp(-x**2 - y**2); (x - y)/(x + y); x*y*exp(x*y); x**y; [sin|cos](x**2 + y**2); x*y/(x**2 + y**2); exp(x/y);
   y*exp([sin|cos](x*y)); 1/(x**2 + y**2); x*log(x**2 + y**2); (x**2 + x*y)**{n}; exp(x)*log(x + y); tan(x*y)""",
}
GRADIENT = {
    "gradient": """
1: x**2 [+|-] y**2; {a}*x**{n} + {b}*y**{m}; x*y [+|-] {a}*x; {a}*x [+|-] {b}*y; x**{n}*y**{m};
   x**2 + {a}*x*y - y**2; {a}*x*y; [sin|cos](x) + [exp|sin](y); x*exp(y); x**2*y - {a}*y; log(x) + {a}*log(y);
   x**{n} - {a}*x*y + {b}; exp(x) - {a}*y**2; x*[sin|cos](y)
2: [exp|sin|cos](x*y); log(x**2 + y**2); x/(y + {a}); sqrt(x**2 + y**2); ({a}*x + {b}*y)**{n}; x**2*exp({a}*y);
   x*[sin|cos]({a}*y); exp(x)*[sin|cos](y); exp(-x**2 - y**2); x*log(y) + {a}*x*y; (x*y + {a})**{n};
   [sin|cos](x + {a}*y); x/y + y/x; x*y*(x + {a}*y); (x - {a})**2 + (y + {b})**2; 1/(x + y); x**2*y**{n} - {a}*x*y
3: x*exp(x*y); (x - y)/(x + y); x*exp(-x**2 - y**2); atan(y/x); x*y/(x**2 + y**2); log(x**2 + {a}*y**2)*x; x**y;
   1/sqrt(x**2 + y**2); [sin|cos](x*y)*exp(-x); x**2*y*exp(x + {a}*y); sqrt({a} - x**2 - y**2); exp(x/y)*y;
   ({a} - x)**2 + {b}*(y - x**2)**2; [sin|cos](x**2 + y**2)*x; log((x + {a})/(y + {b}))*x; x*y*log(x*y);
   exp([sin|cos](x*y)); (x**2 + y**2)**{n} - x*y""",
}
CURVES = {
    "implicit": """
1: x**2 + y**2 = {a}**2; x*y = {a}; x**2 - y**2 = {a}; y**2 = {a}*x; x**2/{a} + y**2/{b} = 1;
   x**2 + {a}*y**2 = {b}; y**3 = x**2 + {a}; {a}*x + y**{n} = {b}; y**2 - x**3 = {a}; x**3 + y**3 = {a};
   sqrt(x) + sqrt(y) = {a}; exp(y) = x**2 + {a}; x**{n} + y**{m} = {a}; y**2 + y = x + {a}; x**2*y = {a};
   log(y) + x = {a}; y**2*x = {a}; exp(y) + {a}*x = {b}; x + y**3 + y = {a}; y**4 = x**3 + {a};
   y**2 + {a}*x = x**2; {a}*x**2 - y**3 = {b}; x**{n}*y**{m} = {a}
2: x**2 + x*y + y**2 = {a}; x**3 + y**3 = {a}*x*y; x*y + y**2 = {a}; x**2*y + x*y**2 = {a}; (x + y)**2 = {a}*x;
   x*exp(y) = {a} + y; sin(y) + x*y = {a}; y**2*(x + {a}) = x**2; x**2*y**2 + y = {a}; y*exp(y) = x;
   y + log(y) = {a}*x; x*log(y) = {a}; sqrt(x*y) = x + y - {a}; (x - {a})**2 + (y + {b})**2 = 30; x/y + y/x = {a};
   y**3 + x*y = {a}; cos(y) + y = x; x**2 = {a}*y**2 - x*y; y**{n} + x**2*y = {a}; x + exp(x)*y**3 = {a}
3: exp(x*y) = x + y + {a}; sin(x*y) + x = y/{a}; (x**2 + y**2)**2 = {a}*(x**2 - y**2); x**2*exp(y) = y + {a};
   log(x**2 + y**2) = {a}*atan(y/x); x*exp(y) + y*exp(x) = {a}; x**(2/3) + y**(2/3) = {a};
   sqrt(x + y) = {a} - x*y/9; log(x*y) = x - y + {a}; sin(x + y) + y = x; exp(x/y) = {a}*x; x**2*sin(y) + y = {a};
   y*log(x) + x*log(y) = {a}; (x + y)/(x - y) = {a}*y; atan(x*y) + y = x; y**2*exp(x*y) = {a};
   x**3*y + x*y**3 = {a}; x*cos(y) + y = {a}; (x*y)**2 + x + y**3 = {a}; exp(y)*cos(x) = y + {a}""",
}
VECTORS = {
    "linear": """
1: [|{a}*]a @ x[| + {b}| - b @ x]; sum({a}*[a|x|b*x]); a @ ([x|{a}*x] - b); {a}*sum(x) [+|-] [b @ x|a @ x];
   sum(x) + {b}; mean({a}*x); a @ x/{a}; sum(a*x - b); sum(a*b*x); (a + b) @ x; mean(x) - a @ x
2: a @ A @ x; b @ A.T @ x; a @ (A @ x [+|-] b); [|{a}*]sum(A @ x); sum(A @ x - b); (A @ a) @ x; mean(A @ x);
   a @ A @ x [+|-] b @ x; sum(A.T @ x) [+|-] {a}; (a + A @ b) @ x; sum({a}*(A @ x) + b); a @ A @ A @ x;
   a @ A @ A.T @ x; {a}*a @ A.T @ x; a @ (A + A.T) @ x; sum(a*(A @ x)); (a - x) @ b
3: [A @ x|A.T @ x|A @ A @ x|A.T @ A @ x|(A + A.T) @ x|{a}*A @ x][| + b| - a]; A @ (x [+|-] b); a*x; a*b*x;
   {a}*x - b; A @ (a*x); a*(A @ x); x - (a @ x)*b; (a @ x)*b; x - A @ x; sum(x)*a""",
    "quadratic": """
1: {a}*x @ x [+|-] [b|a] @ x; sum((x [+|-] [b|a])**2); x @ x/2; [|{a}*]sum(x**2); x @ x [+|-] {a};
   sum(({a}*x - b)**2); mean(x**2); sum((x - b)**2)/2; a @ x + x @ x/{a}; mean((x - b)**2); sum(a*x**2);
   (x - b) @ (x - b); x @ x - {a}*sum(x); sum((a*x)**2); (a - x) @ (a - x)/{b}; x @ (x + b)
2: x @ A @ x; x @ A @ x/2 [+|-] [b|a] @ x; {a}*x @ A @ x; x @ A.T @ x; x @ A @ x [+|-] {b}*x @ x;
   x @ (A + A.T) @ x; sum((A @ x)**2); x @ A.T @ A @ x; sum((A @ x [+|-] b)**2); x @ A @ x/{a} [+|-] {b};
   (a @ x)**2; (a @ x)*(b @ x); x @ A @ (x - b); sum((A @ x - b)**2)/2; (a @ x [+|-] {a})**2; mean((A @ x)**2);
   sum(x)**2; x @ A @ A @ x
3: (x [+|-] [b|a]) @ A @ (x [+|-] [b|a]); (x @ x)*(a @ x); (x @ x)**2; (x @ A @ x)**2; exp(-x @ x/2);
   log({a} + x @ x); sqrt({a} + x @ x); (a @ x)**2*(b @ x); exp(-x @ A @ x); (x @ A @ x)*(b @ x);
   (x @ A @ x)/(x @ x); 1/({a} + x @ x); (a @ x)/(x @ x); sqrt(x @ A.T @ A @ x); (x @ x - {a})**2; (x @ A @ b)**2;
   (a @ x)*exp(-x @ x); log({a} + x @ A.T @ A @ x)""",
    "norms": """
1: [|{a}*]norm(x); norm(x) [+|-] [b|a] @ x; norm(x)**2; norm(x)/{a}; {a}*norm(x)**2; norm(x - [a|b]);
   [|{a}*]norm(x)**2/2; norm({a}*x); norm(x) + {b}; norm(x)**2 - [a|b] @ x; norm(x - b)**2; sqrt(x @ x);
   sum(abs(x)); {a}*sum(abs(x)) + norm(x)**2; sum(abs(x - b)); norm(x + a)**2/2
2: norm(x)**3; norm(A @ x); norm(A @ x)**2; norm(A @ x - b); norm(A @ x [+|-] b)**2; exp(-norm(x)); log(norm(x));
   1/norm(x); norm(x)*([a|b] @ x); norm(x - a)**3; norm(x)**4; norm(A.T @ x); sqrt({a} + norm(x)**2);
   log({a} + norm(x)**2); exp(-norm(x)**2); sum(sqrt(x**2 + {a})); norm(x - a) + norm(x - b); norm(x)**2*(a @ x);
   norm(A @ x - b)**2/{a}; {a}*norm(x)**2 + norm(A @ x)
3: (a @ x)/norm(x); norm(x)/(1 + norm(x)); x/norm(x); norm(x)*x; exp(-norm(x - a)**2/{b}); 1/norm(x - a);
   norm(A @ x)/norm(x); log(norm(A @ x - b)); norm(x)**2/(a @ x); x*norm(x)**2; norm(x - a)/norm(x - b);
   (a @ x)*exp(-norm(x)**2); (a @ x)**2/norm(x)**2; norm(x)*log(norm(x)); 1/(1 + norm(x - a)**2); x/(1 + norm(x));
   sqrt(norm(x)**2 + norm(x - a)**2); norm(A.T @ A @ x); (x - a)/norm(x - a)**2; a*norm(x)""",
    "elementwise": """
1: [exp|sin|cos|tanh](x); x**{n}; {a}*[exp|sin|cos](x); x**{n} [+|-] b; [exp|log|sqrt](x) + b; {a}*x + b;
   sigmoid(x); sum([exp|sin|log](x)); sum(x**{n}); sum(sigmoid(x)); 1/x; sum(x**{m})/{a}; {a}*x**{n}
2: a*[exp|sin|cos](x); sum(a*[exp|log|tanh](x)); exp({a}*x); sum(exp({a}*x)); [sin|cos|exp](a*x); (x - b)**{n};
   sum((x - b)**{m}); x*[exp|sin](x); sum(x*log(x)); a @ [exp|sin|tanh](x); log(1 + exp(x)); sum(log(1 + exp(x)));
   a/x; sum(exp(-x**2)); sqrt(x**2 + {a}); a*x**{n} + b; tanh({a}*x); sum(sin(x)*b); [sigmoid|tanh](x - b)
3: [sigmoid|tanh|exp](A @ x); sum([sigmoid|tanh|exp](A @ x)); a @ [sigmoid|tanh|sin](A @ x);
   A @ [exp|tanh|sigmoid](x); exp(-x**2)*a; sum(log(1 + exp(a*x))); a @ exp(A @ x - b); sum(x*exp(-x));
   [tanh|sigmoid](A @ x + b); sum(log({a} + x**2)*b); x/(1 + x**2); sum(a/(1 + exp(-x))); x*sum(x); x*(a @ x);
   exp(a @ x)*x; sum((A @ x)**{n}); log(sum(exp(x))); sqrt(sum(x**2)) - sum(a*x)""",
    "softmax": """
1: [|{a}*]logsumexp(x, 0)[| + {b}]; sum(exp(x)) [+|-] [a|b] @ x; log(sum(exp(x))); sum(exp(x)); {a}*sum(exp(x));
   logsumexp(x, 0)/{a}; sum(exp(x - b)); [logsumexp(x, 0)|sum(exp(x))] + x @ x; sum(exp(-x)); mean(exp(x));
   sum(a*exp(x)); a @ exp(x); log(sum(exp(x))) + {b}; sum(log(1 + exp(x)))
2: logsumexp(x, 0) - [y|a|b] @ x; [y|a] @ softmax(x, 0); logsumexp({a}*x, 0); logsumexp(x - b, 0);
   logsumexp({a}*x, 0)/{a}; {a}*logsumexp(x, 0) - y @ x; logsumexp(x + b, 0) - y @ x; log(sum(exp({a}*x)));
   a @ log_softmax(x, 0); -(y @ log_softmax(x, 0)); logsumexp(-x, 0); logsumexp(x, 0)**2; exp(logsumexp(x, 0));
   sum(exp(x))**2; a @ softmax({a}*x, 0); logsumexp(x, 0) + x @ x/{a}; logsumexp(x/{a}, 0); sum(x*exp(x))
3: softmax(x, 0); log_softmax(x, 0); softmax({a}*x, 0); softmax(x - b, 0); log_softmax({a}*x, 0);
   {a}*softmax(x, 0); softmax(x, 0)*a; logsumexp(A @ x, 0); logsumexp(A @ x, 0) - y @ (A @ x);
   logsumexp(A @ x + b, 0); y @ softmax(A @ x, 0); A @ softmax(x, 0); softmax(x, 0) - b; log_softmax(x + b, 0);
   -(y @ log_softmax(A @ x, 0)); logsumexp(a*x, 0); softmax(a*x, 0); softmax(x, 0) @ softmax(x, 0);
   x @ softmax(x, 0); logsumexp(x, 0)*x""",
}
REGRESSION = {
    "least-squares": """
1: sum((w [+|-] v)**2); sum(({a}*w [+|-] v)**2)/2; mean((w - v)**2); sum((w - v)**2)/{a};
   sum((v - w)**2) [+|-] {b}; (w - v) @ (w - v); w @ w - {a}*v @ w; sum((w - {a}*v)**2); norm(w - v)**2;
   norm(w - v)**2/2; sum(v*(w - v)**2); {a}*sum((w - v)**2); sum((w - v)**2) + w @ w; (v - {a}*w) @ (v - {a}*w);
   mean(({a}*w - v)**2); sum((w/{a} - v)**2); lam*sum((w - v)**2); {a}*mean((w - v)**2)
2: sum((X @ w - y)**2); sum((y - X @ w)**2)/2; mean((X @ w [+|-] y)**2); {a}*sum((X @ w - y)**2);
   (X @ w - y) @ (X @ w - y); norm(X @ w - y)**2; norm(y - X @ w)**2/{a}; sum(({a}*X @ w - y)**2);
   sum((X @ w)**2) - {a}*y @ X @ w; lam*sum((X @ w - y)**2); sum((X @ w - {a}*y)**2); (y - X @ w) @ (y - X @ w)/2;
   sum(y*(X @ w)); sum((X @ w - y)**2) [+|-] {b}; mean((y - X @ w)**2)/{a}; y @ y - 2*y @ X @ w + w @ X.T @ X @ w;
   {a}*norm(X @ w - y)**2; sum((X @ w + y)**2)/{a}
3: sum((X @ w - y)**2) + lam*sum(w**2); mean((X @ w - y)**2) + lam*w @ w; X: sum((X @ w - y)**2); norm(X @ w - y);
   sum((X @ w - y)**2)/2 + {a}*norm(w)**2; X: mean((X @ w - y)**2); X: sum((X @ w - y)**2)/2 + lam*sum(X**2);
   sum((X @ w - y)**4); log(sum((X @ w - y)**2)); sqrt(mean((X @ w - y)**2)); (X @ w - y) @ S @ (X @ w - y);
   X: norm(y - X @ w)**2; X.T @ (X @ w - y); sum((y - X @ w)**2) + lam*norm(w - v)**2; X: sum(({a}*X @ w - y)**2);
   sum(y*(X @ w - y)**2); sum(sqrt({a} + (X @ w - y)**2)); exp(-sum((X @ w - y)**2));
   X: sum((X @ w)**2) - {a}*y @ X @ w; sum(exp(X @ w) - y*(X @ w)); mean((X @ w - y)**2)/{a} + lam*sum(w**4)""",
    "likelihood": """
1: v @ w - sum(exp(w)); sum(exp(w) - v*w); sum(v*log(w) - w); sum(log(w) - v*w); [|{a}*]sum((v - w)**2/2);
   sum(w - v*log(w)); sum(v/w + log(w)); v @ log(w) + {a}*sum(log(1 - w)); sum(v*log(w));
   -sum(v*log(w)) + sum(w)*{a}; sum(log(1 + exp(w)) - v*w); v @ w - sum(log(1 + exp(w))); sum({a}*log(w) - v*w);
   sum(v*w - w**2/2); mean(exp(w) - v*w); mean(log(1 + exp(w)) - v*w); {a}*sum(exp(w)) - v @ w;
   sum((w - v)**2/{a}); sum(v*log(w) - {a}*w); sum(w/{a} - v*log(w)); sum(sqrt(w) - v*w); mean(w - v*log(w))
2: y @ X @ w - sum(exp(X @ w)); sum(exp(X @ w)) - y @ X @ w; sum(log(1 + exp(X @ w)) - y*(X @ w));
   mean(exp(X @ w) - y*(X @ w)); sum((y - X @ w)**2)/{a}; sum(log(1 + exp(-y*(X @ w))));
   y @ (X @ w) - sum(log(1 + exp(X @ w))); mean(log(1 + exp(-y*(X @ w)))); sum(y*exp(-X @ w) + X @ w);
   sum(softplus(X @ w) - y*(X @ w)); logsumexp(X @ w, 0) - y @ (X @ w); sum(exp({a}*X @ w)) - y @ X @ w;
   sum(exp(-y*(X @ w))); mean(exp(-y*(X @ w))); {a}*sum(log(1 + exp(X @ w))) - y @ X @ w;
   sum(softplus(-y*(X @ w))); -sum(log(sigmoid(y*(X @ w)))); sum(log(cosh(X @ w - y)));
   y @ X @ w - {a}*sum(exp(X @ w)); sum((X @ w - y)**2)/2 - y @ X @ w
3: sum(log(1 + exp(X @ w)) - y*(X @ w)) + lam*w @ w; mean(log(1 + exp(-y*(X @ w)))) + lam*sum(w**2);
   X: sum(exp(X @ w)) - y @ X @ w; -sum(y*log(sigmoid(X @ w)) + (1 - y)*log(1 - sigmoid(X @ w)));
   sum((y - sigmoid(X @ w))**2); sum((y - tanh(X @ w))**2)/2; sum(exp(X @ w)) - y @ X @ w + lam*norm(w)**2;
   X: sum(log(1 + exp(X @ w)) - y*(X @ w)); sum((y - exp(X @ w))**2); sum(relu(1 - y*(X @ w)));
   sum(relu(1 - y*(X @ w))**2) + lam*w @ w; sum(log({a} + (X @ w - y)**2)); X: sum(exp(-y*(X @ w)));
   mean((y - sigmoid(X @ w))**2); sum(y*exp(-X @ w) + X @ w) + lam*w @ w; log(sum(exp(X @ w))) - y @ X @ w;
   sum(exp(-(X @ w - y)**2)); X: sum((y - sigmoid(X @ w))**2); sum(sqrt({a} + (X @ w - y)**2)) + lam*w @ w;
   sum(log(1 + exp(-y*(X @ w))))/{a} + lam*norm(w); sum((y - softplus(X @ w))**2); norm(y - exp(X @ w))""",
}
MATRICES = {
    "trace": """
1: [|{a}*]trace([X|A @ X|X @ A|X.T @ A|A.T @ X]); trace(X)[ + {b}| - {a}]; trace(X)/{a}; trace(A @ X)/{a};
   trace(X [+|-] A); sum(X); sum({a}*X); sum(A*X); trace(X.T)*{a} + {b}; trace(X @ A) - trace(X); mean(X);
   {a}*sum(X) + trace(X); sum(X - A); trace(A) + trace(X)
2: trace(X.T @ X); trace(A @ X @ B); trace(X.T @ A @ X); trace(X @ X); trace({a}*A @ X @ B); trace(A @ X.T @ B);
   trace(X @ A @ X.T); sum(X**2); sum((X [+|-] A)**2); trace(X @ X.T)/2; trace((X - A).T @ (X - A));
   [b|a] @ X @ a; a @ X.T @ b; sum((X - A)**2)/{a}; norm(X)**2; trace(X)**2; trace(A @ X) + trace(X.T @ X);
   sum(A*X**2); sum(X @ a); trace(X @ X @ A); trace(A @ X)**2
3: trace(X @ A @ X @ B); trace(X.T @ A @ X @ B); trace(X @ A @ X @ A); trace(X.T @ X @ X.T @ X); trace(X @ X @ X);
   trace(A @ X @ X.T @ B); norm(A @ X - B)**2; sum((A @ X @ B)**2); trace(inv(X)); trace(A @ inv(X));
   a @ X.T @ X @ b; a @ X @ X @ b; sum((X @ a - b)**2); trace(X @ A)*trace(X); trace((A @ X).T @ (B @ X));
   a @ X.T @ A @ X @ a; norm(X @ A - B)**2/2; sum(exp(A*X)); sqrt(trace(X.T @ X)); trace((X - A) @ B @ (X - A).T);
   trace(exp(X))""",
    "logdet": """
1: [|{a}*]logdet([X|{b}*X|X.T])[| + {c}]; logdet(X)/{a}; [|{a}*]det(X); det({a}*X); logdet(X) [+|-] trace(X);
   logdet(X) - {b}; det(X)/{a}; -logdet(X); logdet(X)/2 + {a}; logdet(A) + logdet(X); det(X.T); det(X) + trace(X);
   logdet(X)*{a} - sum(X); det(X) [+|-] {a}
2: trace(S @ X) [+|-] logdet(X); logdet(X @ X); logdet(A @ X); logdet(X @ A); logdet(inv(X)); logdet(X + A);
   logdet(A @ X @ B); det(X)**2; log(det(X)); det(A @ X); det(inv(X)); logdet(X @ A)/2; logdet({a}*X + A);
   {a}*trace(S @ X) - logdet(X); 1/det(X); logdet(X) - b @ X @ b; logdet(X) - sum(X**2)/{a}; det(X)*trace(A);
   sqrt(det(X)); logdet(A.T @ X); det(X @ X); det(X + A)
3: logdet(A.T @ X @ A); logdet(X) + trace(A @ inv(X)); logdet(X.T @ X); logdet(A + X.T @ X); logdet(X @ A @ X.T);
   det(X)*trace(X); logdet(X) + b @ inv(X) @ b; det(X.T @ A @ X); logdet(X)**2; logdet(X + X.T);
   log({a} + det(X)); trace(inv(X)) + logdet(X); logdet(A + B @ X @ B.T); (logdet(X) + b @ inv(X) @ b)/2;
   exp(-logdet(X)/2); det(X)*(b @ X @ b); logdet(X @ X + A); {a}*logdet(X) - trace(X @ S @ X.T);
   logdet(X)*trace(X); det(X)**2*trace(X @ A); logdet(A.T @ inv(X) @ A)""",
    "inverse-matrix": """
1: trace(inv(X)); {a}*trace(inv(X)); [a|b] @ inv(X) @ [a|b]; sum(inv(X)); trace(inv({a}*X)); trace(inv(X))/{b};
   trace(inv(X)) [+|-] {a}; a @ inv(X) @ b*{a}; trace(inv(X)) + trace(X); {a}*sum(inv(X)); a @ inv(X.T) @ b;
   trace(inv(X).T); sum(inv(X))/{a} - sum(X); a @ inv(X) @ b [+|-] {b}; a @ inv({a}*X) @ b; mean(inv(X));
   a @ solve(X, b); b @ solve(X, a)
2: trace(A @ inv(X)); trace(inv(X) @ A); trace(A @ inv(X) @ B); trace(inv(A @ X)); trace(inv(X @ A));
   trace(inv(X + A)); a @ inv(X + A) @ b; a @ inv(X @ A) @ b; a @ A @ inv(X) @ b; sum(A @ inv(X));
   trace(inv(X) @ A)/{a} + trace(X); a @ inv(X.T) @ A @ b; trace(A.T @ inv(X)); trace(inv(X.T) @ B);
   a @ inv({a}*X + A) @ b; trace(inv(X - A)); a @ solve(X, A @ b); sum(inv(X) @ a);
   {a}*trace(A @ inv(X)) - trace(B @ X); trace(inv(A @ X @ B))
3: trace(inv(X) @ A @ inv(X) @ B); trace(inv(X @ X)); sum(inv(X)**2); a @ inv(X.T @ X) @ b; trace(inv(X.T @ X));
   norm(inv(X) @ a)**2; a @ inv(X) @ A @ inv(X) @ b; trace(inv(A + X @ B @ X.T)); sum((inv(X) @ a - b)**2);
   (a @ inv(X) @ b)**2; log(a @ inv(X.T @ X) @ a); trace(X @ A @ inv(X) @ B); norm(inv(X))**2;
   norm(solve(X, b) - a)**2; trace(inv(A + X.T @ X)); exp(-a @ inv(X.T @ X) @ a); trace(inv(X) @ A)*logdet(X);
   a @ inv(X + X.T) @ b; trace(X.T @ inv(A) @ X); b @ inv(A + X @ X.T) @ b""",
}
