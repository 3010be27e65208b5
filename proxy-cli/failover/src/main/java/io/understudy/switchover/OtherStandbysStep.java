package io.understudy.switchover;

import io.understudy.config.Address;
import io.understudy.config.StandbyConfig;
import java.util.List;

/**
 * Makes, or reports how to make, the other standbys replicate from the new primary. They continue at their own
 * positions.
 */
final class OtherStandbysStep implements Step {
    private final Pair pair;
    private final List<StandbyConfig> others;

    OtherStandbysStep(Pair pair, List<StandbyConfig> others) {
        this.pair = pair;
        this.others = others;
    }

    @Override
    public String plan() {
        return "print the statements that point the other standbys to "
                + pair.standby().name();
    }

    @Override
    public String run() {
        Address to = pair.standbyAddress();
        String host = to.isUnix() ? "HOST" : to.host();
        int port = to.isUnix() ? 0 : to.port();
        String line = System.lineSeparator() + "    ";
        String statements = String.join(";" + line, pair.dialect().repoint(host, port, pair.replication())) + ";";
        StringBuilder text = new StringBuilder();
        for (StandbyConfig other : others) {
            text.append(text.length() == 0 ? "" : System.lineSeparator())
                    .append("on ")
                    .append(other.address())
                    .append(" (")
                    .append(other.name())
                    .append("):")
                    .append(line)
                    .append(statements);
        }
        return text.toString();
    }
}
