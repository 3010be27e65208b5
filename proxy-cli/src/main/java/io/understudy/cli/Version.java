package io.understudy.cli;

import picocli.CommandLine.IVersionProvider;

/** The version, which the build writes into the jar. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Understudy.class.getPackage().getImplementationVersion();
        return new String[] {
            "understudy " + (version == null ? "(not packaged)" : version),
            "Java " + System.getProperty("java.version") + ", " + System.getProperty("os.name") + " "
                    + System.getProperty("os.arch")
        };
    }
}
