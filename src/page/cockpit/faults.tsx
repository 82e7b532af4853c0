/** Faults of the simulated broker of a paper run. */
import { type Signal, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type {
  ArmedFaultState,
  CockpitState,
  KnownFault,
  KnownFaults,
} from '../../operator/cockpit/cockpit-model.ts';
import { Button, Choice, Dot, Field, Panel, useAnswer, Waiting } from './parts.tsx';
import { canSteer, command } from './store.ts';
import { t } from './text.ts';

/** None where the broker is no simulator. */
export function Faults({ value: { faults: armed } }: { readonly value: CockpitState }) {
  const known = useAnswer<KnownFaults>(armed === undefined ? null : '/faults');
  if (armed === undefined) return null;
  return (
    <Panel title={t.faultsTitle}>
      <p class="note">{t.faultsMeaning}</p>
      <Waiting {...known} />
      <ul class="faults">
        {known.value?.map((each) => (
          <FaultRow key={each.name} fault={each} armed={armed.filter(({ name }) => name === each.name)} />
        ))}
      </ul>
    </Panel>
  );
}

function FaultRow({
  fault: { name, effect, isInstant, parameters },
  armed,
}: {
  readonly fault: KnownFault;
  readonly armed: readonly ArmedFaultState[];
}) {
  const fields = useMemo(() => parameters.map((of) => ({ of, value: signal(of.example) })), []);
  const isOn = armed.length > 0;
  const change = (): void => {
    const given = Object.fromEntries(fields.map(({ of, value }) => [of.name, value.value]));
    void command(name, 'fault', isOn ? { name, isOn: false } : { name, isOn: true, parameters: given });
  };
  return (
    <li>
      <Button disabled={!canSteer.value} {...(!isInstant && SWITCH(isOn))} onClick={change}>
        {name}
      </Button>
      <div>
        {effect}
        {isOn && (
          <p>
            <Dot tone="bad" label={[t.isOn, ...armed.map(({ text }) => text)].filter(Boolean).join(' · ')} />
          </p>
        )}
        {parameters.length > 0 && !isOn && (
          <details>
            <summary>{parameters.map((each) => each.name).join(', ')}</summary>
            <div class="fields">
              {fields.map((each) => (
                <Parameter key={each.of.name} {...each} />
              ))}
            </div>
          </details>
        )}
      </div>
    </li>
  );
}

const SWITCH = (isOn: boolean) => ({ role: 'switch', 'aria-checked': isOn }) as const;

function Parameter({
  of: { name, expected, isRequired, choices },
  value,
}: {
  readonly of: KnownFault['parameters'][number];
  readonly value: Signal<string>;
}) {
  const label = isRequired ? `${name} (${t.required})` : name;
  if (choices.length > 0) {
    const options = choices.map((each) => [each, each] as const);
    return <Choice name={label} value={value} options={options} all={isRequired ? null : t.any} />;
  }
  return (
    <label title={expected}>
      {label}
      <Field value={value} placeholder={expected} />
    </label>
  );
}
