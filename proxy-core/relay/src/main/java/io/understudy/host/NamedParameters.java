package io.understudy.host;

import io.understudy.plugin.PluginContext;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** An action that refuses parameters whose names it does not know. */
final class NamedParameters implements PluginContext.Action {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(\\w+)}");

    private final String path;
    private final Set<String> known;
    private final PluginContext.Action action;

    /**
     * @param path with placeholders, whose names are known
     * @param more names of other parameters
     */
    NamedParameters(String path, Set<String> more, PluginContext.Action action) {
        this.path = path;
        this.action = action;
        known = new TreeSet<>(more);
        PLACEHOLDER.matcher(path).results().forEach(match -> known.add(match.group(1)));
    }

    @Override
    public Object run(Map<String, String> parameters) {
        for (String name : parameters.keySet()) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "POST /api/" + path + " has no parameter '" + name + "'; it has " + known);
            }
        }
        return action.run(parameters);
    }
}
