import { readFileSync } from 'node:fs'
import { loadAccess } from '../../src/kube/kubeconfig/kubeconfig.ts'
import type { OpenKubeClient } from '../../src/kube/open-kube-client.ts'
import { CuttingProxy } from './cutting-proxy.ts'
import { openClient } from './servers.ts'

export interface ProxiedClient extends OpenKubeClient, AsyncDisposable {
  readonly proxy: CuttingProxy
}

/** A client of the server of a kubeconfig, whose connections go through a proxy of its own. */
export async function openProxied(kubeconfig: string): Promise<ProxiedClient> {
  const access = loadAccess({ kubeconfig, environment: {}, home: '', readText: (file) => readFileSync(file, 'utf8') })
  const proxy = await CuttingProxy.before(access.server)
  const { client, close } = openClient(kubeconfig, {
    access: { ...access, server: proxy.url },
    rate: { qps: 0, burst: 0 },
  })
  return {
    client,
    close,
    proxy,
    [Symbol.asyncDispose]: async () => {
      await close()
      await proxy[Symbol.asyncDispose]()
    },
  }
}
