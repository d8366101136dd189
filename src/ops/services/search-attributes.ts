/** What operators can search workflows by; all are keywords. */
export const searchAttributeNames = [
  'MalipoMerchant',
  'MalipoRail',
  'MalipoStatus',
  'MalipoReference',
] as const;
