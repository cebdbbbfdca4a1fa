import { shellWord } from '../../../machinery/text/shell-word.ts'
import { scales } from '../autoscaler.ts'
import type { Remedy } from '../explanation.ts'
import { SCALED, workloadKind } from '../workload-kinds.ts'
import { rightToPatch, type Situation } from './situation.ts'

type Scaled = Pick<Situation, 'top' | 'facts' | 'isEdited'>

/** May its owner scale the workload? An autoscaler would scale it back. */
export const isScalable = ({ top, facts, isEdited }: Scaled): boolean =>
  isEdited && SCALED.has(workloadKind(top)?.resource ?? '') && !facts.autoscalers.some((one) => scales(one, top))

/** The remedy that scales a workload. `where`: the place of these pods, as the end of a sentence. */
export const scaleTo = (replicas: number, { top, facts }: Scaled, where = ''): Remedy => ({
  type: 'scale',
  text: `run fewer pods: ${replicas} fit${where}`,
  command: `${facts.kubectl} scale ${shellWord(`${top.kind.toLowerCase()}/${top.metadata.name ?? ''}`)} --replicas=${replicas}`,
  needs: { ...rightToPatch(top), resource: `${rightToPatch(top).resource}/scale` },
})
