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
    private static final String ENABLE = "ENABLE";
    /** ER_EVENT_DOES_NOT_EXIST: a client has dropped it before the hold. */
    private static final int NO_SUCH_EVENT = 1539;

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
                if (!isOfConnection(e)) {
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

    private static String names(List<ScheduledEvent> events) {
        return events.stream().map(ScheduledEvent::toString).collect(Collectors.joining(", "));
    }

    /** Returns the statements that have a server execute them. */
    private static String byHand(List<ScheduledEvent> events) {
        return events.stream().map(event -> event.alter(ENABLE)).collect(Collectors.joining("; "));
    }

    @Override
    public String undo() throws SQLException, UndoRefused, InterruptedException {
        if (disabled.isEmpty()) {
            return "";
        }
        try {
            pair.primary().ensureFormerEnded(); // else one might be disabled after this
            unchanged.ensure();
            enable(pair.primary());
        } catch (UndoRefused e) {
            throw new UndoRefused(
                    e.getMessage() + ". Scheduled events are disabled on both; on the primary: " + byHand(disabled));
        } catch (SQLException e) {
            throw new SQLException(
                    "the old primary's scheduled events may still be disabled; on " + pair.primaryAddress() + ": "
                            + byHand(disabled) + " (" + e.getMessage() + ")",
                    e);
        }
        return "enabled on " + pair.primaryAddress() + " again: " + names(disabled);
    }

    /** Tries each, so that one that cannot be enabled (its only time is over, say) does not keep the others. */
    private void enable(Node node) throws SQLException {
        SQLException first = null;
        for (ScheduledEvent event : disabled) {
            try {
                event.set(node, ENABLE);
            } catch (SQLException e) {
                if (isOfConnection(e)) {
                    throw e;
                }
                boolean dropped = e.getErrorCode() == NO_SUCH_EVENT;
                first = first == null && !dropped ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private static boolean isOfConnection(SQLException e) {
        String state = e.getSQLState();
        return state == null || state.startsWith("08");
    }

    /** Returns the step that has the new primary execute what the old one did. */
    Step enabling() {
        return Step.of("enable these events on " + pair.standby().name(), () -> {
            try {
                enable(pair.standby());
            } catch (SQLException e) {
                throw new StepFailure(
                        e.getMessage() + "; by hand, on " + pair.standbyAddress() + ": " + byHand(disabled), e);
            }
            return (disabled.isEmpty() ? "none" : names(disabled)) + leftDisabled();
        });
    }
}
