import { strategies } from '../../kinds/strategies.ts'
import type { Strategies } from '../../kinds/strategy/strategy.ts'
import { certificateRequestProblem } from './certificate/request.ts'
import { issuedCertificateProblem } from './certificate/issued.ts'
import { keyPairProblem } from './certificate/key-pair-problem.ts'

/** How the built-in kinds behave, by resource, with the cryptography that their pure rules lack. */
export const builtInStrategies: Strategies = strategies({
  requestProblem: certificateRequestProblem,
  issuedProblem: issuedCertificateProblem,
  keyPairProblem,
})
