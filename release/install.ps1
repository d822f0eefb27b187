# Installs satchel on Windows: downloads the archive of this system, checks it, and
# puts the program into a folder of yours. It needs no administrator, and changes
# nothing else. satchel on Windows is a preview.
#
#   irm https://github.com/satchel-dev/satchel/releases/latest/download/install.ps1 | iex
#
#   $env:SATCHEL_VERSION       the version, such as v1.2.0 (the latest release)
#   $env:SATCHEL_INSTALL_DIR   the folder (%LOCALAPPDATA%\Programs\satchel)
#   $env:SATCHEL_SHA256        what the archive's SHA-256 has to be, besides what the release says
#   $env:SATCHEL_BASE_URL      where releases are, for mirrors and tests

function Install-Satchel {
    $ErrorActionPreference = 'Stop'
    $ProgressPreference = 'SilentlyContinue' # which makes downloads many times slower
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

    function Get-Asset($url, $file) {
        try { Invoke-WebRequest -UseBasicParsing -Uri $url -OutFile $file }
        catch { throw "cannot download ${url}: $($_.Exception.Message)" }
    }
    function Get-SatchelVersion($program) {
        $ErrorActionPreference = 'Continue' # else Windows PowerShell takes what it writes to standard error for a failure
        $said = try { & $program --version 2>$null | Select-Object -First 1 } catch { '' }
        if ($said -match '^satchel (.+)$') { $Matches[1] } else { 'an unknown version' }
    }

    $base = if ($env:SATCHEL_BASE_URL) { $env:SATCHEL_BASE_URL } else { 'https://github.com/satchel-dev/satchel/releases' }
    if ($env:OS -ne 'Windows_NT') { throw 'this is for Windows; for Linux and macOS there is install.sh' }
    # A 32-bit shell sees the processor of the system in the second variable.
    $processor = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
    $arch = switch ($processor) {
        'AMD64' { 'amd64' }
        'ARM64' { 'arm64' }
        default { throw "no archive for Windows on $processor; there are: amd64 and arm64; others: go install github.com/satchel-dev/satchel/cmd/satchel@latest" }
    }
    $dir = if ($env:SATCHEL_INSTALL_DIR) { $env:SATCHEL_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\satchel' }

    # A folder that nothing can be put into is said before anything is downloaded.
    $staged = Join-Path $dir ".satchel-install-$PID.exe"
    try {
        New-Item -ItemType Directory -Force -Path $dir | Out-Null
        New-Item -ItemType File -Force -Path $staged | Out-Null
    } catch { throw "cannot write into ${dir}: name another folder with SATCHEL_INSTALL_DIR" }

    $temp = Join-Path ([IO.Path]::GetTempPath()) "satchel-install-$([Guid]::NewGuid())"
    New-Item -ItemType Directory -Path $temp | Out-Null
    try {
        $list = Join-Path $temp 'checksums.txt'
        $tag = if ($env:SATCHEL_VERSION) { 'v' + $env:SATCHEL_VERSION.TrimStart('v') } else { '' }
        if ($tag) { Get-Asset "$base/download/$tag/checksums.txt" $list } else { Get-Asset "$base/latest/download/checksums.txt" $list }

        $lines = @(Get-Content $list)
        $pattern = "^([0-9a-f]{64})  (satchel_(.+)_windows_${arch}(?:_preview)?\.zip)$"
        $line = $lines | Where-Object { $_ -match $pattern } | Select-Object -First 1
        if (-not $line) {
            $has = ($lines | ForEach-Object { ($_ -split '  ')[1] } | Where-Object { $_ -match '\.(tar\.gz|zip)$' }) -join ', '
            throw "the release has no archive for windows_${arch}; it has: $has"
        }
        $null = $line -match $pattern
        $want, $archive, $new = $Matches[1], $Matches[2], "v$($Matches[3])"
        if ($tag -and $new -ne $tag) { throw "$tag was asked for, and checksums.txt there is of $new" }

        $file = Join-Path $temp $archive
        Get-Asset "$base/download/$new/$archive" $file
        $got = (Get-FileHash -Algorithm SHA256 -Path $file).Hash.ToLowerInvariant()
        if ($got -ne $want) { throw "$archive has SHA-256 $got, checksums.txt says ${want}: it is damaged or not what was released; nothing was installed" }
        if ($env:SATCHEL_SHA256 -and $got -ne $env:SATCHEL_SHA256) { throw "$archive has SHA-256 $got, SATCHEL_SHA256 says $($env:SATCHEL_SHA256); nothing was installed" }

        Expand-Archive -Path $file -DestinationPath (Join-Path $temp 'out')
        $program = Join-Path $temp 'out\satchel.exe'
        if ((Get-SatchelVersion $program) -ne $new) { throw "the program in $archive does not run here, or is not $new; nothing was installed" }

        $target = Join-Path $dir 'satchel.exe'
        $said = "installed satchel $new as $target"
        Copy-Item -Force $program $staged
        if (Test-Path $target) {
            $old = Get-SatchelVersion $target
            $said = if ($old -eq $new) { "installed satchel $new again as $target" } else { "${said}: $old -> $new" }
            # A program that runs can be renamed, and not replaced. What was renamed before is gone by now, or runs still.
            Remove-Item -Force "$target.old*" -ErrorAction SilentlyContinue
            Move-Item -Force $target "$target.old-$PID"
        }
        try { Move-Item $staged $target }
        catch {
            if (Test-Path "$target.old-$PID") { Move-Item "$target.old-$PID" $target }
            throw "cannot write $target"
        }
        Remove-Item -Force "$target.old-$PID" -ErrorAction SilentlyContinue
        Write-Output $said
    } finally {
        Remove-Item -Recurse -Force $temp, $staged -ErrorAction SilentlyContinue
    }

    if (($env:PATH -split ';') -notcontains $dir) {
        Write-Output "$dir is not in PATH; this line adds it for you, in shells that are opened afterwards:"
        Write-Output "  [Environment]::SetEnvironmentVariable('Path', '$dir;' + [Environment]::GetEnvironmentVariable('Path', 'User'), 'User')"
    }
}

# Run when all of the script has arrived.
try { Install-Satchel }
catch {
    [Console]::Error.WriteLine("satchel install: $($_.Exception.Message)")
    if ($MyInvocation.MyCommand.Path) { exit 1 } # a shell that reads it by iex goes on
}
