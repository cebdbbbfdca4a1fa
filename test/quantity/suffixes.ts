/** Every suffix of a quantity, and exponents as clients write them. */
export const SUFFIXES = ' n u m k M G T P E Ki Mi Gi Ti Pi Ei e3 E-4 e+12'.split(' ')
