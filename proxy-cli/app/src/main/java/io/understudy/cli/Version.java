package io.understudy.cli;

import io.understudy.runtime.BuildInfo;
import picocli.CommandLine.IVersionProvider;

/** The version and the commit, which the build writes into the jar. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        BuildInfo build = BuildInfo.current();
        return new String[] {
            "understudy " + build.version() + " (" + build.commit() + ")",
            "Java " + System.getProperty("java.version") + ", " + System.getProperty("os.name") + " "
                    + System.getProperty("os.arch")
        };
    }
}
