/** Packages with which `@temporalio/worker` bundles workflows. We do that once, at build time, so no process loads them. */
export const buildOnly = ['webpack', '@swc/core', 'swc-loader', 'source-map-loader', 'memfs', 'unionfs'];
