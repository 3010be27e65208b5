package io.understudy.switchover;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Disables the old primary's scheduled events, which {@code read_only} does not stop where their definer may write in
 * spite of it. The statements are in its binary log, like any others of the primary.
 */
final class DisableEventsStep implements Step {
    private static final String DISABLE = "DISABLE ON SLAVE"; // the state that replication gives them, on MySQL, too

    private final Pair pair;
    private final Unchanged unchanged;
    private final List<ScheduledEvent> disabled = new ArrayList<>();
    /** Disabled on both servers before: whether by a switchover that was killed, is not known. */
    private List<ScheduledEvent> found = List.of();

    DisableEventsStep(Pair pair, Unchanged unchanged) {
        this.pair = pair;
        this.unchanged = unchanged;
    }

    @Override
    public String plan() {
        return "disable the old primary's scheduled events";
    }

    @Override
    public String run() throws Exception {
        found = ScheduledEvent.disabledAsOnStandby(pair.primary());
        List<ScheduledEvent> enabled = ScheduledEvent.enabled(pair.primary());
        if (enabled.isEmpty()) {
            return "it has none that is enabled" + leftDisabled();
        }
        pair.primary().traced();
        for (ScheduledEvent event : enabled) {
            disabled.add(event);
            try {
                event.set(pair.primary(), DISABLE);
            } catch (SQLException e) {
                if (!ScheduledEvent.isOfConnection(e)) {
                    disabled.remove(event); // refused: there is nothing to undo
                }
                throw e;
            }
        }
        return names(disabled) + leftDisabled();
    }

    /** Returns what to do about the events that no server executes; empty if there are none. */
    private String leftDisabled() {
        return found.isEmpty()
                ? ""
                : "; on the primary, and so on both, these are DISABLE ON SLAVE, as a switchover that was killed leaves"
                        + " them: " + names(found) + ". If they are to be executed: after the promotion, on "
                        + pair.standbyAddress() + ": " + byHand(found);
    }

    static String names(List<ScheduledEvent> events) {
        return events.stream().map(ScheduledEvent::toString).collect(Collectors.joining(", "));
    }

    /** Returns the statements that have a server execute them. */
    static String byHand(List<ScheduledEvent> events) {
        return events.stream().map(event -> event.alter(ScheduledEvent.ENABLE)).collect(Collectors.joining("; "));
    }

    @Override
    public String undo() throws SQLException, UndoRefused, InterruptedException {
        if (disabled.isEmpty()) {
            return "";
        }
        try {
            pair.primary().ensureFormerEnded(); // else one might be disabled after this
            unchanged.ensure();
        } catch (UndoRefused e) {
            throw new UndoRefused(
                    e.getMessage() + ". Scheduled events are disabled on both; on the primary: " + byHand(disabled));
        } catch (SQLException e) {
            throw new SQLException(
                    "the old primary's scheduled events may still be disabled; on " + pair.primaryAddress() + ": "
                            + byHand(disabled) + " (" + e.getMessage() + ")",
                    e);
        }
        List<String> failed = ScheduledEvent.enable(pair.primary(), disabled);
        if (!failed.isEmpty()) {
            throw new SQLException("the old primary's scheduled events may still be disabled; on "
                    + pair.primaryAddress() + ": " + String.join("; ", failed));
        }
        return "enabled on " + pair.primaryAddress() + " again: " + names(disabled);
    }

    /** Returns the step that has the new primary execute what the old one did. */
    Step enabling(AfterPromotion after) {
        return Step.of(
                "enable these events on " + pair.standby().name(), () -> after.enable(disabled) + leftDisabled());
    }
}
