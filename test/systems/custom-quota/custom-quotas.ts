import type { CustomQuotaSpec } from '../../../src/systems/custom-quota/api/custom-quota.ts'
import { customQuota } from '../../../src/systems/custom-quota/api/custom-quota.ts'
import type { GlobalCustomQuotaSpec } from '../../../src/systems/custom-quota/api/global-custom-quota.ts'
import { globalCustomQuota } from '../../../src/systems/custom-quota/api/global-custom-quota.ts'
import { type CompiledQuota, compileQuota } from '../../../src/systems/custom-quota/decide/compile-quota.ts'
import { sentence } from '../../../src/machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../../src/machinery/object.ts'

/** The spec of a quota with its defaults, as an API server stores it. */
export function quotaSpec(spec: JsonObject): CustomQuotaSpec & GlobalCustomQuotaSpec {
  const kind = 'namespaceSelectors' in spec ? globalCustomQuota : customQuota
  return kind.read({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: 'q' }, spec }).spec
}

/** Returns the errors of a spec, as sentences. */
export function problemsOf(spec: JsonObject, strictPaths = false): readonly string[] {
  const compiled = compileQuota(quotaSpec(spec), { strictPaths })
  return compiled.ok ? [] : compiled.problems.map(sentence)
}

/** A quota with these sources and a limit of 10, unless the spec has another one. Throws where it does not compile. */
export function compiled(spec: JsonObject, strictPaths = false): CompiledQuota {
  const compilation = compileQuota(quotaSpec({ limit: 10, ...spec }), { strictPaths })
  if (compilation.ok) return compilation.quota
  throw new Error(compilation.problems.map(sentence).join('; '))
}

/** A pod of one container that requests so much CPU. */
export function podWith(cpu: string | undefined, metadata: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'harbour', name: 'crane', ...metadata },
    spec: { containers: [{ name: 'c', resources: cpu === undefined ? {} : { requests: { cpu } } }] },
  }
}

/** The path to what the containers of a pod request. */
export const CPU_PATH = '.spec.containers[*].resources.requests.cpu'
