/** What panels ask Prometheus for again and again, and the legends of the answers. */
export const rate = (metric, by, selector = '') =>
  `sum by (${by}) (rate(${metric}${selector}[$__rate_interval]))`;
export const quantile = (q, histogram, by, selector = '') =>
  `histogram_quantile(${String(q)}, sum by (${[...by, 'le'].join(', ')}) (rate(${histogram}_bucket${selector}[$__rate_interval])))`;
/** What every API process shows alike. */
export const shown = (metric, by) => (by ? `max by (${by}) (${metric})` : `max(${metric})`);
export const share = (part, whole) => `${part} / ${whole}`;

export const ofRail = '{{rail}}';
export const ofCall = '{{rail}} {{call}}';
export const ofSource = '{{rail}} {{kind}}';
export const ofInstance = '{{instance}}';
export const ofWallet = '{{provider}} {{country}} {{currency}}';
export const right = '{status=~"2..|499|5.."}';
