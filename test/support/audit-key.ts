/** Of the audit log: the tests' own handles have it from the environment, and the processes under test as a setting. */
export const testAuditKey = `test:${Buffer.alloc(32, 7).toString('base64')}`;
