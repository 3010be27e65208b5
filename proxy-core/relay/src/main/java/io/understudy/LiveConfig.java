package io.understudy;

import io.understudy.config.Address;
import io.understudy.config.ConfigDiff;
import io.understudy.config.ConfigException;
import io.understudy.config.LoadedConfig;
import io.understudy.config.NotApplied;
import io.understudy.config.bind.problem.Position;
import io.understudy.config.bind.problem.Problem;
import io.understudy.connection.SectionTls;
import io.understudy.handshake.tls.TlsFilesException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The configuration in force, and the parts of the process that follow a new one. Thread-safe. */
public final class LiveConfig {
    private static final Logger log = LoggerFactory.getLogger(LiveConfig.class);

    /** A part of the process that follows the configuration, as far as it can change while running. */
    @FunctionalInterface
    public interface Part {
        /**
         * Reads and checks what it needs of a new configuration, and changes nothing yet.
         *
         * @return what takes it over, and adds what stays as it was. Must not fail for a reason that could be seen here
         * @throws TlsFilesException when a file cannot be used: then no part changes
         */
        Consumer<NotApplied> prepare(LoadedConfig now, ConfigDiff diff) throws TlsFilesException;
    }

    /**
     * What a reload did, in sentences.
     *
     * @param changes what has taken effect
     * @param notApplied what has not
     */
    public record Outcome(List<String> changes, NotApplied notApplied) {}

    /** Keys that need a restart have its values. */
    private final LoadedConfig started;

    private volatile LoadedConfig current;
    /** Those with which plugins run. */
    private final Supplier<Map<String, Record>> plugins;

    /** The primary in force if an operator chose it, else null. */
    private final Supplier<@Nullable Address> chosenPrimary;

    private final Supplier<Map<String, Integer>> olderSessions;
    /** By what they follow, in the file's words. Guarded by this. */
    private final Map<String, Part> parts = new LinkedHashMap<>();

    LiveConfig(
            LoadedConfig started,
            Supplier<Map<String, Record>> plugins,
            Supplier<@Nullable Address> chosenPrimary,
            Supplier<Map<String, Integer>> olderSessions) {
        this.started = started;
        this.current = started;
        this.plugins = plugins;
        this.chosenPrimary = chosenPrimary;
        this.olderSessions = olderSessions;
    }

    /**
     * Returns the number of sessions that a plugin does not observe because they began before it was added, by plugin;
     * only those plugins for which there are such sessions.
     */
    public Map<String, Integer> olderSessions() {
        return olderSessions.get();
    }

    /** Returns the configuration that was applied last. */
    public LoadedConfig current() {
        return current;
    }

    /**
     * Adds a part, which follows after those that were added before.
     *
     * @param keys what of the file it follows, for messages
     */
    public synchronized void follow(String keys, Part part) {
        parts.put(keys, part);
    }

    /** Adds a part that can always follow. See {@link #follow(String, Part)}. */
    public void follow(String keys, Consumer<LoadedConfig> part) {
        follow(keys, (now, diff) -> left -> part.accept(now));
    }

    /**
     * Has every part follow a new configuration, or none. One that fails all the same keeps no other from following.
     *
     * @throws ConfigException if a part cannot follow it; nothing has changed
     */
    public synchronized Outcome apply(LoadedConfig now) throws ConfigException {
        List<String> unusable = SectionTls.ensureUsable(now, current.config());
        ConfigDiff diff = ConfigDiff.between(current, now, started);
        ConfigDiff sinceRunning = ConfigDiff.between(running(current), now, started);
        Map<String, Consumer<NotApplied>> prepared = prepare(now, diff);
        NotApplied left = new NotApplied();
        left.failed().addAll(unusable);
        List<String> failed = new ArrayList<>();
        diff.afterRestart().forEach(change -> left.waits().add(change.sentence()));
        prepared.forEach((keys, change) -> {
            try {
                change.accept(left);
            } catch (RuntimeException | Error e) {
                log.error("failed to apply {} of the new file", keys, e);
                failed.addAll(List.of(keys.split(", ")));
                left.failed()
                        .add(keys + " may run by the file before, wholly or in part, as applying the new one failed"
                                + " (" + e + "); reload again when the cause is gone, or restart");
            }
        });
        current = now;
        return new Outcome(applied(sinceRunning, failed), left);
    }

    private Map<String, Consumer<NotApplied>> prepare(LoadedConfig now, ConfigDiff diff) throws ConfigException {
        Map<String, Consumer<NotApplied>> prepared = new LinkedHashMap<>();
        List<Problem> problems = new ArrayList<>();
        parts.forEach((keys, part) -> {
            try {
                prepared.put(keys, part.prepare(now, diff));
            } catch (TlsFilesException e) {
                problems.add(new Problem(
                        Problem.Severity.ERROR, keys, Position.NONE, "", String.valueOf(e.getMessage()), ""));
            }
        });
        if (!problems.isEmpty()) {
            throw new ConfigException(problems, now.files());
        }
        return prepared;
    }

    /**
     * Returns a sentence for each change that has taken effect: a plugin may have refused its own.
     *
     * @param failed paths of the parts that failed
     */
    private List<String> applied(ConfigDiff diff, List<String> failed) {
        List<String> refused = pending().stream().map(ConfigDiff.Change::path).toList();
        Map<String, Integer> older = olderSessions.get();
        return diff.live().stream()
                .filter(change -> !refused.contains(change.path())
                        && failed.stream().noneMatch(path -> ConfigDiff.isWithin(change.path(), path)))
                .map(change -> change.sentence() + withoutIt(change, older))
                .toList();
    }

    /** Returns what a sentence about a plugin that was added leaves open: which sessions go on without it. */
    private static String withoutIt(ConfigDiff.Change change, Map<String, Integer> older) {
        Integer count = older.get(change.path().replaceFirst("^plugins\\.", ""));
        return count == null || !change.from().equals("off")
                ? ""
                : " for sessions that begin from now on; " + count + (count == 1 ? " goes" : " go")
                        + " on without it until they end";
    }

    /**
     * Returns in what the process differs from the configuration that was loaded last: {@code from} is what runs,
     * {@code to} what the file has. A restart makes it empty.
     */
    public List<ConfigDiff.Change> pending() {
        LoadedConfig file = current;
        ConfigDiff since = ConfigDiff.between(started, file);
        List<ConfigDiff.Change> pending = new ArrayList<>(since.afterRestart());
        if (started.config().primary().monitor() != null) {
            // The connections of sessions have the new files, the proxy's own have not.
            pending.addAll(since.serverFiles());
        }
        Address primary = chosenPrimary.get();
        Address named = file.config().primary().address();
        if (primary != null && file.config().primary().candidates().isEmpty() && !primary.equals(named)) {
            pending.add(new ConfigDiff.Change("primary.address", primary.toString(), named.toString(), false));
        }
        ConfigDiff.between(running(file), file).changes().stream()
                .map(change -> new ConfigDiff.Change(change.path(), change.from(), change.to(), false))
                .forEach(pending::add);
        return pending;
    }

    /** Returns a configuration with the plugins' sections by which they run. */
    private LoadedConfig running(LoadedConfig file) {
        Set<String> hidden = new LinkedHashSet<>(started.fromOutside());
        hidden.addAll(file.fromOutside());
        return new LoadedConfig(file.config(), plugins.get(), file.sha(), file.warnings(), file.files(), hidden);
    }
}
