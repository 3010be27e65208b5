package io.understudy.switchover;

import io.understudy.config.StandbyConfig;
import java.util.ArrayList;
import java.util.List;

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
    static Steps of(Pair pair, ProxyControl proxy, SwitchoverLimits bounds, List<StandbyConfig> others) {
        HoldClock clock = new HoldClock(bounds.hold());
        LastTransaction last = new LastTransaction(pair);
        Unchanged unchanged = new Unchanged(pair, proxy::primaryUnlessEnded);
        AfterPromotion after = new AfterPromotion(pair);
        DisableEventsStep events = new DisableEventsStep(pair, unchanged);
        return new Steps(
                List.of(
                        new CheckStep(pair, proxy),
                        new GateStep(pair, proxy, bounds.lag()),
                        new LagStep(pair, bounds.lag())),
                List.of(
                        events,
                        new HoldStep(proxy, clock),
                        new ReadOnlyStep(pair, clock, unchanged),
                        new AppliedStep(pair, last, clock),
                        new StopReplicationStep(pair, clock),
                        new SemiSyncStep(pair, clock)),
                new PromoteStep(pair, last, clock, () -> proxy.isHolding(clock.left(PROMOTION))),
                after.follow(proxy),
                after.release(proxy, clock),
                others.isEmpty()
                        ? List.of(events.enabling(), after.forget(), after.oldPrimary(last))
                        : List.of(
                                events.enabling(),
                                after.forget(),
                                after.oldPrimary(last),
                                after.otherStandbys(others)));
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
