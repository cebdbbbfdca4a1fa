import type { KubeClient } from '../src/kube/client/kube-client.ts'
import { openKubeClient } from '../src/kube/open-kube-client.ts'

/** A client of a server that is measured, without a bound on its requests. `source` names the server in errors. */
export function openBenchClient(
  source: string,
  { url, token }: { readonly url: string; readonly token: string },
): { readonly client: KubeClient; readonly close: () => Promise<void> } {
  return openKubeClient({
    access: {
      source,
      server: url,
      namespace: 'default',
      insecureSkipTlsVerify: true,
      credentials: { type: 'token', token },
    },
    environment: {},
    version: 'bench',
    rate: { qps: 0, burst: 1 },
  })
}
