import type { HookScenario } from './hook-pair.ts'
import { answered } from './webhook-scenarios/answered.ts'
import { asked } from './webhook-scenarios/asked.ts'
import { custom } from './webhook-scenarios/custom.ts'
import { failed, outlasted } from './webhook-scenarios/failed.ts'
import { matched } from './webhook-scenarios/matched.ts'
import { several } from './webhook-scenarios/several.ts'

export const HOOK_SCENARIOS: readonly { readonly title: string; readonly scenarios: readonly HookScenario[] }[] = [
  { title: 'what webhooks are asked', scenarios: asked },
  { title: 'custom resources and webhooks', scenarios: custom },
  { title: 'what webhooks answer', scenarios: answered },
  { title: 'webhooks that fail', scenarios: failed },
  { title: 'webhooks that outlast a request', scenarios: outlasted },
  { title: 'several webhooks', scenarios: several },
  { title: 'which requests webhooks see', scenarios: matched },
]
