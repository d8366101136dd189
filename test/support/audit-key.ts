/**
 * The key of the audit log: tests' own handles read it from the environment, and the processes under test get it as a
 * setting.
 */
export const testAuditKey = `test:${Buffer.alloc(32, 7).toString('base64')}`;
