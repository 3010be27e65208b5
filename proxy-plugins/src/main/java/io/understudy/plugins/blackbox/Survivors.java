package io.understudy.plugins.blackbox;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.Standby;
import io.understudy.plugins.binlog.PrimaryFacts;
import java.sql.SQLException;
import java.util.List;

/**
 * Finds the server that a report is about. Once the proxy has followed a change of the primary that is the present primary; before that a
 * standby: the one that is named, that takes writes, or that lacks least.
 */
final class Survivors {
    private static final String PRIMARY = "primary";
    /** For what was received, where that may not be asked. */
    private static final String UNKNOWN = "?";

    private final PluginContext context;
    private final BlackBox box;

    Survivors(PluginContext context, BlackBox box) {
        this.context = context;
        this.box = box;
    }

    /** @throws IllegalArgumentException with what to do when none can be asked */
    Survivor choose() {
        if (box.primaries().size() > 1) {
            try {
                return primary("the proxy has followed a change of the primary to it");
            } catch (IllegalArgumentException unreachable) {
                // A standby then.
            }
        }
        Survivor best = null;
        int lacks = 0;
        StringBuilder troubles = new StringBuilder();
        for (Standby standby : context.standbys()) {
            try {
                Survivor asked = ask(standby, "the only standby");
                if (!asked.readOnly()) {
                    return asked.because("it takes writes (read_only is off)");
                }
                int missing = box.loss(asked).missing.size();
                if (best == null || missing < lacks) {
                    best = asked;
                    lacks = missing;
                }
            } catch (SQLException e) {
                troubles.append(troubles.length() == 0 ? "" : "; ")
                        .append(standby.name())
                        .append(": ")
                        .append(e.getMessage());
            }
        }
        if (best == null) {
            throw new IllegalArgumentException(
                    context.standbys().isEmpty()
                            ? "no standbys are configured; name the new primary: --on HOST:PORT"
                            : "no standby can be asked (" + troubles + "); name the new primary: --on HOST:PORT");
        }
        return context.standbys().size() == 1 ? best : best.because("of the standbys it lacks least");
    }

    /**
     * As an action's arguments say: none to choose; a name; or a name and what that server has told somebody else: its replicated position,
     * its logged one, what it received ({@code ?}: not known), and {@code true} if it is read-only.
     *
     * @throws IllegalArgumentException when there is no such, or it cannot be asked
     */
    Survivor asked(List<String> arguments) {
        return switch (arguments.size()) {
            case 0 -> choose();
            case 1 -> named(arguments.get(0));
            case 5 ->
                told(
                        arguments.get(0),
                        arguments.get(1),
                        arguments.get(2),
                        arguments.get(3),
                        Boolean.parseBoolean(arguments.get(4)));
            default ->
                throw new IllegalArgumentException(
                        "expected on=NAME, or on, replicated, logged, received and readOnly in"
                                + " this order, but found " + arguments.size() + " parameters");
        };
    }

    private Survivor named(String name) {
        if (name.equals(PRIMARY)) {
            return primary("it was named");
        }
        for (Standby standby : context.standbys()) {
            if (standby.name().equals(name)) {
                try {
                    return ask(standby, "it was named");
                } catch (SQLException e) {
                    throw new IllegalArgumentException("standby " + name + " cannot be asked: " + e.getMessage(), e);
                }
            }
        }
        List<String> names = context.standbys().stream().map(Standby::name).toList();
        throw new IllegalArgumentException("no standby is called '" + name + "'; there are " + names
                + " and primary, or give --on HOST:PORT with -c FILE");
    }

    /** One that somebody else has asked: its positions as {@link Applied#of} takes them. */
    private Survivor told(String name, String replicated, String logged, String received, boolean readOnly) {
        return Survivor.of(
                name,
                flavor(),
                new Positions.Told(replicated, logged, received.equals(UNKNOWN) ? null : received, readOnly),
                "it was named");
    }

    private Survivor primary(String chosen) {
        var source = context.primary().dataSource();
        if (source == null) {
            throw new IllegalArgumentException(
                    "the primary cannot be asked: add primary.monitor with user and password");
        }
        try {
            return Survivor.of(PRIMARY, flavor(), Positions.ask(source), chosen);
        } catch (SQLException e) {
            throw new IllegalArgumentException("the primary cannot be asked: " + e.getMessage(), e);
        }
    }

    private Survivor ask(Standby standby, String chosen) throws SQLException {
        return Survivor.of(standby.name(), flavor(), Positions.ask(standby.dataSource()), chosen);
    }

    private ServerFlavor flavor() {
        List<PrimaryFacts> known = box.primaries();
        return known.isEmpty()
                ? context.primary().flavor()
                : known.get(known.size() - 1).flavor();
    }
}
