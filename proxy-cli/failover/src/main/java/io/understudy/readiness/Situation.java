package io.understudy.readiness;

import io.understudy.plugin.StandbyFigures;
import io.understudy.servers.ReplicaStatus;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Two readings of both servers, and what the proxy knows besides.
 *
 * @param before the first reading
 * @param now the second one, some hundred milliseconds later
 * @param standby its name
 * @param primaryAddress of the present primary
 * @param localAccounts accounts that exist on standbys only, on purpose
 * @param proxy what the running proxy knows of it
 * @param expected the figures that a running proxy would have
 */
record Situation(
        Round before,
        Round now,
        String standby,
        String primaryAddress,
        Set<String> localAccounts,
        ProxyFigures proxy,
        StandbyFigures expected,
        Limits limits) {

    /** One reading of both servers. */
    record Round(ServerFacts standby, ServerFacts primary) {
        /** Nothing was read. */
        static final Round NONE = new Round(new ServerFacts(), new ServerFacts());

        boolean hasStandby() {
            return standby.responded();
        }

        boolean hasBoth() {
            return standby.responded() && primary.responded();
        }

        boolean isOfOneProduct() {
            return hasBoth() && standby.isMariaDb() == primary.isMariaDb();
        }
    }

    /** Returns the connection from the primary: the one known to be, else the one that is not known not to be. */
    static @Nullable ReplicaStatus fromPrimary(Round round) {
        List<ReplicaStatus> channels = round.standby().get(ServerFacts.CHANNELS).value();
        ReplicaStatus possible = null;
        if (channels != null) {
            for (ReplicaStatus channel : channels) {
                Boolean from =
                        round.primary().responded() ? round.primary().identity().isSourceOf(channel) : null;
                if (Boolean.TRUE.equals(from)) {
                    return channel;
                }
                if (from == null && possible == null) {
                    possible = channel;
                }
            }
        }
        return possible;
    }
}
