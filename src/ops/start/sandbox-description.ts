import type { SandboxMerchant } from './sandbox-merchants';

/** `.malipo/sandbox.json`: what a script needs to use the sandbox. */
export interface SandboxDescription {
  api_url: string;
  /** Where the API answers operators: /readyz and /metrics. */
  ops_url: string;
  simulator_url: string;
  temporal_address: string;
  temporal_ui_url: string;
  database_url: string;
  merchants: SandboxMerchant[];
  providers: Record<string, Record<string, string>>;
}
