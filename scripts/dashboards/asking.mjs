/** Query expressions and legends that several panels share. */

/** A metric of the chosen environment's processes; other programs may export the same name. */
export const ours = (metric, matchers = '', job = 'malipo-.*') =>
  `${metric}{environment="$environment", job=~"(.*/)?${job}"${matchers === '' ? '' : `, ${matchers}`}}`;
export const rateOf = (selected, by) => `sum by (${by}) (rate(${selected}[$__rate_interval]))`;
export const quantileOf = (q, selected, by) =>
  `histogram_quantile(${String(q)}, sum by (${[...by, 'le'].join(', ')}) (rate(${selected}[$__rate_interval])))`;

export const rate = (metric, by, matchers) => rateOf(ours(metric, matchers), by);
export const quantile = (q, histogram, by) => quantileOf(q, ours(`${histogram}_bucket`), by);
/** Of metrics that every API process exports with the same value. */
export const shown = (metric, by) => (by ? `max by (${by}) (${ours(metric)})` : `max(${ours(metric)})`);
export const share = (part, whole) => `${part} / ${whole}`;

export const ofRail = '{{rail}}';
export const ofCall = '{{rail}} {{call}}';
export const ofSource = '{{rail}} {{kind}}';
export const ofInstance = '{{instance}}';
export const ofWallet = '{{provider}} {{country}} {{currency}}';
export const right = 'status=~"2..|499|5.."';
