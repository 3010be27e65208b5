package io.understudy.switchover;

import io.understudy.config.Address;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The steps in their order.
 *
 * @param checks change nothing
 * @param preparation is undone in reverse if it fails, or the promotion does
 * @param promotion from its end on nothing is undone
 * @param follow makes the proxy follow
 * @param release runs after the promotion whatever fails
 * @param rest each runs whatever fails
 */
record Steps(List<Step> checks, List<Step> preparation, Step promotion, Step follow, Step release, List<Step> rest) {
    private static final String PROMOTION = "and the standby is not promoted";

    /** @param others the proxy's standbys besides the pair's */
    static Steps of(Pair pair, ProxyControl proxy, SwitchoverLimits bounds, Map<Address, Node> others) {
        HoldClock clock = new HoldClock(bounds.hold());
        LastTransaction last = new LastTransaction(pair);
        Unchanged unchanged = new Unchanged(pair, proxy::primaryUnlessEnded);
        AfterPromotion after = new AfterPromotion(pair);
        DisableEventsStep events = new DisableEventsStep(pair, unchanged);
        List<Step> rest = new ArrayList<>(List.of(events.enabling(after), after.forget(), after.oldPrimary(last)));
        if (!others.isEmpty()) {
            rest.add(after.otherStandbys(others, other -> ""));
        }
        return new Steps(
                List.of(new CheckStep(pair, proxy), new GateStep(pair, proxy, bounds.lag()), lag(pair, bounds.lag())),
                List.of(
                        events,
                        new HoldStep(proxy, clock),
                        new ReadOnlyStep(pair, clock, unchanged),
                        last.applied(clock),
                        new StopReplicationStep(pair, clock),
                        new SemiSyncStep(pair, clock)),
                promotion(pair, proxy, clock, last),
                after.follow(proxy),
                after.release(proxy, clock),
                rest);
    }

    /** Waits until the standby has applied what the primary had written when the step began. */
    private static Step lag(Pair pair, Duration longest) {
        return Step.of("measure the lag: at most " + longest.toMillis() + " ms", () -> {
            // Numbered here, so that no held session waits for that.
            pair.primary().traced();
            pair.standby().traced();
            String position = pair.primary().value(pair.dialect().position());
            long begun = System.nanoTime();
            String applied =
                    pair.standby().valueWithin(pair.dialect().applied(position, longest), Node.RESPONSE.plus(longest));
            if (!applied.equals("0")) {
                throw new StepFailure(pair.standby().name() + " has not applied the primary's position within "
                        + longest.toMillis() + " ms; wait until it has caught up, or allow more with --lag");
            }
            return "lag " + (System.nanoTime() - begun) / 1_000_000 + " ms";
        });
    }

    private static Step promotion(Pair pair, ProxyControl proxy, HoldClock clock, LastTransaction last) {
        PromoteStep.Check ready = () -> {
            last.ensureLast();
            if (!proxy.isHolding(clock.left(PROMOTION))) {
                throw new StepFailure(
                        "the proxy holds its sessions no more: somebody has released them, or it has restarted");
            }
            clock.left(PROMOTION);
        };
        return new PromoteStep(
                pair,
                ready,
                "The old primary " + pair.primaryAddress() + " stays read-only. If SELECT @@GLOBAL.read_only on "
                        + pair.standbyAddress() + " is 0 then, tell the proxy: POST /api/primary; if it is 1, on "
                        + pair.primaryAddress() + ": " + pair.dialect().writable() + ", and on "
                        + pair.standbyAddress() + ": " + pair.dialect().start(pair.replication()));
    }

    List<Step> all() {
        List<Step> all = new ArrayList<>(checks);
        all.addAll(preparation);
        all.add(promotion);
        all.add(follow);
        all.add(release);
        all.addAll(rest);
        return all;
    }
}
