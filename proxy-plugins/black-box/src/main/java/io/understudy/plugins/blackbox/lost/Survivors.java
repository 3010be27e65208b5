package io.understudy.plugins.blackbox.lost;

import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.Standby;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.kept.BlackBox;
import io.understudy.servers.ReportedPosition;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the server for a report. Where another server was the primary, or may have been, that is the present primary;
 * else a standby: the one that is named, the one that takes writes, or the one that lacks least.
 */
public final class Survivors {
    private static final Logger log = LoggerFactory.getLogger(Survivors.class);

    private static final String ON = "on";
    private static final String REPLICATED = "replicated";
    private static final String LOGGED = "logged";
    private static final String RECEIVED = "received";
    private static final String READ_ONLY = "readOnly";
    private static final String SERVER = "server";

    /** Names of the parameters of {@link #fromParameters}. */
    public static final Set<String> PARAMETERS = Set.of(ON, REPLICATED, LOGGED, RECEIVED, READ_ONLY, SERVER);

    public static final String PRIMARY = "primary";
    /** What {@link Survivor#chosen} has of a server that may take writes, and could not be asked. */
    static final String NOT_ASKED = " takes writes is not known: ";
    /** Argument for a received position that could not be queried. */
    private static final String UNKNOWN = "?";

    private final PluginContext context;
    private final BlackBox box;
    /** Servers that do not respond, of which the log has a line: a page may ask for a report again and again. */
    private final Set<String> notAsked = ConcurrentHashMap.newKeySet();

    public Survivors(PluginContext context, BlackBox box) {
        this.context = context;
        this.box = box;
    }

    /**
     * Returns the primary if another server was or may have been it before, else a standby that takes writes, or lacks
     * least.
     *
     * @throws IllegalStateException with the remedy if no server can be queried
     */
    public Survivor choose() {
        boolean changed = hasChanged(box.primaries());
        if (changed || !box.formerUnknown().isEmpty()) {
            try {
                // Whether this process saw the change or began after it, which the log does not tell.
                Survivor primary = primary(
                        changed
                                ? "it is the primary now; the black box has read the log of another one, too"
                                : "it is the primary now; another server may have been it before");
                return besideOthers(primary);
            } catch (IllegalStateException unreachable) {
                // Choose a standby instead.
            }
        }
        Survivor best = null;
        int lacks = 0;
        StringBuilder troubles = new StringBuilder();
        List<String> writable = new ArrayList<>();
        for (Standby standby : context.standbys()) {
            // It has all of what its own binary log has.
            boolean own = standby.isPrimary() && box.streaming();
            try {
                Survivor probed = probe(standby, "the only standby");
                if (!probed.readOnly()) {
                    writable.add(standby.name());
                }
                if (own || isPresent(probed)) {
                    note(troubles, standby, "is the primary itself");
                } else if (best != null && !best.readOnly()) {
                    continue; // there may be others that take writes
                } else if (!probed.readOnly()) {
                    best = probed.because("it takes writes (read_only is off)");
                } else {
                    int missing = box.loss(probed).missing.size();
                    if (best == null || missing < lacks) {
                        best = probed;
                        lacks = missing;
                    }
                }
            } catch (SQLException e) {
                note(troubles, standby, own ? "is the primary itself" : String.valueOf(e.getMessage()));
            }
        }
        if (best == null) {
            throw new IllegalStateException(
                    context.standbys().isEmpty()
                            ? "no standbys are configured; name the new primary: --on HOST:PORT"
                            : "no standby can be queried (" + troubles + "); name the new primary: --on HOST:PORT");
        }
        if (!best.readOnly()) {
            writable.remove(best.name());
            return box.streaming() && context.standbys().stream().noneMatch(Standby::isPrimary)
                    ? besidePrimary(best, writable)
                    : best.beside(writable);
        }
        return context.standbys().size() == 1 ? best : best.because("of the standbys it lacks least");
    }

    /** The primary whose log is read takes writes, too, if a standby was promoted while it lives, or may do so. */
    private Survivor besidePrimary(Survivor promoted, List<String> writable) {
        try {
            Survivor primary = primary("");
            notAsked.remove(PRIMARY);
            if (!primary.readOnly() && !primary.server().equals(promoted.server())) {
                writable.add(PRIMARY);
            }
        } catch (IllegalStateException e) {
            if (!context.primary().isUnreachable()) { // else it is dead, mostly, and the stream ends
                writable.add(PRIMARY);
            }
            return doubted(promoted, PRIMARY, e).beside(writable);
        }
        return promoted.beside(writable);
    }

    /** Other servers may take writes: one of them may have been promoted instead. */
    private Survivor besideOthers(Survivor primary) {
        List<String> writable = new ArrayList<>();
        Survivor chosen = primary;
        for (Standby standby : context.standbys()) {
            if (standby.isPrimary()) {
                continue;
            }
            try {
                Survivor probed = probe(standby, "");
                notAsked.remove(standby.name());
                if (!probed.readOnly() && !probed.server().equals(primary.server())) {
                    writable.add(standby.name());
                }
            } catch (SQLException e) {
                chosen = doubted(chosen, standby.name(), e);
            }
        }
        return chosen.beside(writable);
    }

    private Survivor doubted(Survivor chosen, String other, Exception e) {
        String doubt = "whether " + other + NOT_ASKED + e.getMessage();
        if (notAsked.add(other)) {
            log.warn("black-box: a report is about {}, and {}", chosen.name(), doubt);
        }
        return chosen.because(chosen.chosen() + "; " + doubt);
    }

    /** One whose numbers began anew is still the same. */
    private static boolean hasChanged(List<PrimaryFacts> primaries) {
        return primaries.stream().anyMatch(each -> !each.sameServer(primaries.get(0)));
    }

    private static void note(StringBuilder troubles, Standby standby, String what) {
        troubles.append(troubles.length() == 0 ? "" : "; ")
                .append(standby.name())
                .append(": ")
                .append(what);
    }

    /** Returns whether the server wrote the present history: nothing of it can be missing there. */
    private boolean isPresent(Survivor probed) {
        List<PrimaryFacts> known = box.primaries();
        return !known.isEmpty() && probed.isServerOf(known.get(known.size() - 1));
    }

    /**
     * Returns the survivor that an action's parameters name: none to choose one; {@code on} alone; or with the
     * positions that the caller has queried itself: {@code replicated}, {@code logged}, {@code received} ({@code ?} if
     * unknown), {@code readOnly}, {@code true} or {@code false}, and perhaps {@code server}, its identity.
     *
     * @throws IllegalArgumentException if there is no such server, or a position is missing
     * @throws IllegalStateException with the remedy if no server, or not that one, can be queried
     */
    public Survivor fromParameters(Map<String, String> parameters) {
        String on = parameters.get(ON);
        if (parameters.isEmpty()) {
            return choose();
        }
        if (on != null && parameters.size() == 1) {
            return named(on);
        }
        return reported(parameters, flavor(parameters.getOrDefault(REPLICATED, "")));
    }

    /**
     * Returns the survivor whose positions the caller has queried.
     *
     * @throws IllegalArgumentException if a position is missing
     */
    public static Survivor reported(Map<String, String> parameters, ServerFlavor flavor) {
        String on = parameters.get(ON);
        String replicated = parameters.get(REPLICATED);
        String logged = parameters.get(LOGGED);
        String received = parameters.get(RECEIVED);
        String readOnly = parameters.get(READ_ONLY);
        if (on == null || replicated == null || logged == null || received == null || readOnly == null) {
            throw new IllegalArgumentException("expected on=NAME, or on, replicated, logged, received and readOnly,"
                    + " but found " + parameters.keySet());
        }
        ReportedPosition reported = new ReportedPosition(
                replicated,
                logged,
                received.equals(UNKNOWN) ? null : received,
                Boolean.parseBoolean(readOnly),
                parameters.getOrDefault(SERVER, ""));
        return Survivor.of(on, flavor, reported, "it was named");
    }

    /**
     * As {@link #fromParameters}, but chooses none.
     *
     * @throws IllegalArgumentException if they name no server
     */
    public Survivor named(Map<String, String> parameters) {
        if (!parameters.containsKey(ON)) {
            throw new IllegalArgumentException("name the server that was compared or built anew: on=NAME");
        }
        return fromParameters(parameters);
    }

    private Survivor named(String name) {
        if (name.equals(PRIMARY)) {
            return primary("it was named");
        }
        for (Standby standby : context.standbys()) {
            if (standby.name().equals(name)) {
                try {
                    return probe(standby, "it was named");
                } catch (SQLException e) {
                    throw new IllegalStateException("standby " + name + " cannot be queried: " + e.getMessage(), e);
                }
            }
        }
        List<String> names = context.standbys().stream().map(Standby::name).toList();
        throw new IllegalArgumentException("no standby is called '" + name + "'; there are " + names
                + " and primary, or give --on HOST:PORT with -c FILE");
    }

    private Survivor primary(String chosen) {
        var source = context.primary().dataSource();
        if (source == null) {
            throw new IllegalStateException(
                    "the primary cannot be queried: add primary.monitor with user and password");
        }
        try {
            return survivor(PRIMARY, ReportedPosition.of(source), chosen);
        } catch (SQLException e) {
            throw new IllegalStateException("the primary cannot be queried: " + e.getMessage(), e);
        }
    }

    private Survivor probe(Standby standby, String chosen) throws SQLException {
        return survivor(standby.name(), ReportedPosition.of(standby.dataSource()), chosen);
    }

    private Survivor survivor(String name, ReportedPosition reported, String chosen) {
        return Survivor.of(name, flavor(reported.replicated()), reported, chosen);
    }

    /** A proxy that began when the primary was gone knows its product by the standbys' positions alone. */
    private ServerFlavor flavor(String replicated) {
        List<PrimaryFacts> known = box.primaries();
        if (!known.isEmpty()) {
            return known.get(known.size() - 1).flavor();
        }
        return replicated.indexOf(':') < 0 ? context.primary().flavor() : ServerFlavor.MYSQL;
    }
}
