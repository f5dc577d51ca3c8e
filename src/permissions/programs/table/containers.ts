import { t } from '../../../base/l10n';
import type { Program } from '../program';
import { CHANGES_CLUSTER } from './commonEffects';

/** What only lists. */
const LISTING =
  /^(?:(?:compose |container |volume |network )?(?:ps|ls)|images|image ls|version)(?: -{1,2}[a-z][a-z-]*(?:=[\w.]+)?)*$/;

/** Containers, virtual machines, clusters and environments: they run something which their words do not show. */
export const CONTAINERS: readonly Program[] = [
  {
    names: 'docker podman',
    runs: ['hidden'],
    irreversible: [
      { words: [/(?:^| )(?:rm|rmi|prune|kill|down)(?= |$)/], why: t('deletes containers, images or volumes') },
    ],
    onlyPrints: LISTING,
  },
  { names: 'docker-compose podman-compose nerdctl', runs: ['hidden'], onlyPrints: LISTING },
  { names: 'nerdctl-compose', onlyPrints: LISTING },
  { names: 'kubectl', runs: ['hidden'], irreversible: [CHANGES_CLUSTER] },
  // Environments of a project or machine.
  {
    names:
      'ctr crictl finch lima apptainer singularity distrobox toolbox multipass kind k3d vagrant direnv mise asdf nix nix-shell nix-build guix',
    runs: ['hidden'],
  },
];
