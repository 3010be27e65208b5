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
        List<ScheduledEvent> enabled = ScheduledEvent.enabled(pair.primary());
        if (enabled.isEmpty()) {
            return "it has none that is enabled";
        }
        pair.primary().traced();
        for (ScheduledEvent event : enabled) {
            disabled.add(event);
            event.set(pair.primary(), DISABLE);
        }
        return names();
    }

    private String names() {
        return disabled.stream().map(ScheduledEvent::toString).collect(Collectors.joining(", "));
    }

    /** Returns the statements that have a server execute them. */
    private String byHand() {
        return disabled.stream().map(event -> event.alter(ENABLE)).collect(Collectors.joining("; "));
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
                    e.getMessage() + ". Scheduled events are disabled on both; on the primary: " + byHand());
        } catch (SQLException e) {
            throw new SQLException(
                    "the old primary's scheduled events may still be disabled; on " + pair.primaryAddress() + ": "
                            + byHand() + " (" + e.getMessage() + ")",
                    e);
        }
        return "enabled on " + pair.primaryAddress() + " again: " + names();
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
        return new Step() {
            @Override
            public String plan() {
                return "enable these events on " + pair.standby().name();
            }

            @Override
            public String run() throws StepFailure {
                try {
                    enable(pair.standby());
                } catch (SQLException e) {
                    throw new StepFailure(
                            e.getMessage() + "; by hand, on " + pair.standbyAddress() + ": " + byHand(), e);
                }
                return disabled.isEmpty() ? "none" : names();
            }
        };
    }
}
